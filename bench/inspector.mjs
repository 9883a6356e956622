/**
 * The heap of a process that was started with `--inspect=127.0.0.1:<port>`.
 * @param {number} port
 */
export async function inspectHeap(port) {
  const [{ webSocketDebuggerUrl }] = /** @type {[{webSocketDebuggerUrl: string}]} */ (
    await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()
  );
  const socket = new WebSocket(webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error(`no inspector at ${port}`)), { once: true });
  });
  let last = 0;
  /** @param {string} method @returns {Promise<any>} */
  const send = (method) =>
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
      socket.send(JSON.stringify({ id, method }));
    });
  return {
    /** Collects all garbage first. @returns {Promise<{usedMiB: number, buffersMiB: number}>} */
    async use() {
      // The second collection takes what the finalizers of the first one let go.
      for (let times = 0; times < 2; times += 1) await send('HeapProfiler.collectGarbage');
      const { usedSize, backingStorageSize } = await send('Runtime.getHeapUsage');
      return { usedMiB: usedSize / 1_048_576, buffersMiB: backingStorageSize / 1_048_576 };
    },
    close: () => socket.close(),
  };
}
