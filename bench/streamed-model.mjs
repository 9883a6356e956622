import { createServer } from 'node:http';

/**
 * A fake model that streams an answer of so many words, one every `wordEveryMs`, to whoever asks.
 * @param {{words: number, wordEveryMs: number}} answer
 */
export async function startStreamedModel({ words, wordEveryMs }) {
  /** When the first words for a thread were written. @type {Map<string, number>} */
  const wroteMs = new Map();
  let isOpen = true;
  /** @type {(() => void)[]} */
  let held = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => (body += chunk));
    request.on('end', () => {
      const thread =
        body
          .match(/thread: t\d+/g)
          ?.at(-1)
          ?.slice('thread: '.length) ?? '';
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      /** @param {object} delta @param {string | null} finish_reason */
      const write = (delta, finish_reason = null) =>
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
      const begin = () => {
        wroteMs.set(thread, performance.now());
        let at = 0;
        const timer = setInterval(() => {
          write({ content: `word${at} ` });
          at += 1;
          if (at < words) return;
          clearInterval(timer);
          write({}, 'stop');
          const usage = { prompt_tokens: 10, completion_tokens: words, total_tokens: 10 + words };
          response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
        }, wordEveryMs);
        write({ content: 'First ' });
      };
      if (isOpen) begin();
      else held.push(begin);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    /** The engine's settings. */
    env: { MODEL_BASE_URL: `http://127.0.0.1:${port}/v1`, MODEL_NAME: 'fake', QUEUE_CONCURRENCY: '64' },
    wroteMs,
    /** How many wait for their first words. */
    waiting: () => held.length,
    /** No answer begins until `open`. */
    hold: () => void (isOpen = false),
    open: () => {
      isOpen = true;
      const all = held;
      held = [];
      for (const begin of all) begin();
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
