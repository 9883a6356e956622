/**
 * @typedef {object} CpuProfile of V8: its samples name a node of the tree each
 * @property {Array<{id: number, callFrame: {functionName: string, url: string, lineNumber: number}, children?: number[]}>} nodes
 * @property {number[]} samples ids of nodes
 * @property {number[]} timeDeltas µs before each sample
 */

/** Speaks with a process that was started with `--inspect=127.0.0.1:<port>`. @param {number} port */
async function inspect(port) {
  const [{ webSocketDebuggerUrl }] = /** @type {[{webSocketDebuggerUrl: string}]} */ (
    await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()
  );
  const socket = new WebSocket(webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error(`no inspector at ${port}`)), { once: true });
  });
  let last = 0;
  /** @param {string} method @param {object} [params] @returns {Promise<any>} */
  const send = (method, params) =>
    new Promise((resolve, reject) => {
      const id = (last += 1);
      const take = (/** @type {MessageEvent} */ { data }) => {
        const answer = JSON.parse(String(data));
        if (answer.id !== id) return;
        socket.removeEventListener('message', take);
        if (answer.error) reject(new Error(`${method}: ${answer.error.message}`));
        else resolve(answer.result);
      };
      socket.addEventListener('message', take);
      socket.send(JSON.stringify({ id, method, ...(params ? { params } : {}) }));
    });
  return { send, close: () => socket.close() };
}

/** The heap of a process. @param {number} port of its inspector */
export async function inspectHeap(port) {
  const { send, close } = await inspect(port);
  return {
    /** Collects all garbage first. @returns {Promise<{usedMiB: number, buffersMiB: number}>} */
    async use() {
      // The second collection takes what the finalizers of the first one let go.
      for (let times = 0; times < 2; times += 1) await send('HeapProfiler.collectGarbage');
      const { usedSize, backingStorageSize } = await send('Runtime.getHeapUsage');
      return { usedMiB: usedSize / 1_048_576, buffersMiB: backingStorageSize / 1_048_576 };
    },
    close,
  };
}

/** The CPU of a process. @param {number} port of its inspector */
export async function inspectCpu(port) {
  const { send, close } = await inspect(port);
  await send('Profiler.enable');
  await send('Profiler.setSamplingInterval', { interval: 500 });
  return {
    start: () => send('Profiler.start'),
    /** @returns {Promise<CpuProfile>} since the start */
    stop: async () => (await send('Profiler.stop')).profile,
    close,
  };
}
