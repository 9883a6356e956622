import { createServer, get } from 'node:http';
import pg from 'pg';
import { readFile } from 'node:fs/promises';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { runLoad } from './processes.mjs';
import { shown, table } from './table.mjs';

const secret = 'a-signing-secret-for-the-benchmark';
const words = 60;
const wordEveryMs = 20;
const patienceMs = 120_000;

/**
 * How long after the model's first words a reader of the session has them, through the portal, with so many turns that
 * begin at once, each with a reader of its own; and what memory the engine has kept after many streamed turns.
 * @param {{together: number, turns: number}} options
 * @throws Error when turns fail, or words are missing
 */
export async function benchStreaming({ together, turns }) {
  /** When the model wrote its first words of a session. @type {Map<string, number>} */
  const wroteMs = new Map();
  let isOpen = false;
  /** @type {(() => void)[]} */
  let held = [];
  const model = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => (body += chunk));
    request.on('end', () => {
      const thread = /** @type {string} */ (
        body
          .match(/thread: t\d+/g)
          ?.at(-1)
          ?.slice(8) ?? ''
      );
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
  await new Promise((resolve) => model.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (model.address());
  const gatehouse = await startGatehouse({
    name: 'streaming',
    serviceEnv: {
      engine: { MODEL_BASE_URL: `http://127.0.0.1:${port}/v1`, MODEL_NAME: 'fake', QUEUE_CONCURRENCY: '64' },
    },
    without: ['python-runner'],
  });
  const db = new pg.Client({ connectionString: gatehouse.postgres.url });
  await db.connect();
  /** @param {string} what @param {() => Promise<boolean> | boolean} holds */
  const until = async (what, holds) => {
    const lastMs = Date.now() + patienceMs;
    while (!(await holds())) {
      if (Date.now() > lastMs) throw new Error(`waited in vain until ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const ended = async () => {
    const { rows } = await db.query(
      `SELECT count(*) FILTER (WHERE state = 'failed')::int AS failed, count(*) FILTER (WHERE state = 'succeeded')::int AS done
         FROM engine.turn`,
    );
    if (rows[0].failed > 0) throw new Error(`${rows[0].failed} turns failed`);
    return Number(rows[0].done);
  };
  const residentMiB = async () => {
    const status = await readFile(`/proc/${gatehouse.pidOf('engine')}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024;
  };

  try {
    const app = await signedApp(gatehouse, { secret, replyAddress: null });
    const load = { url: app.url, secret, fields: {}, bytes: 512, seconds: 600 };
    await runLoad({ ...load, connections: 4, rate: 200, count: together });
    await until('every model is asked', () => held.length === together);
    const { rows } = await db.query(
      `SELECT session_id, input #>> '{message,thread_id}' AS thread FROM engine.turn WHERE state = 'running'`,
    );
    /** @type {Map<string, {firstMs: number, text: string}>} */
    const read = new Map();
    const readers = await Promise.all(rows.map(({ session_id: id, thread }) => follow(id, thread)));
    /** @param {string} sessionId @param {string} thread @returns {Promise<import('node:http').IncomingMessage>} */
    function follow(sessionId, thread) {
      return new Promise((resolve, reject) => {
        const url = `${gatehouse.urlOf('portal')}/api/v1/sessions/${sessionId}/stream`;
        get(url, { headers: { authorization: `Bearer ${gatehouse.apiKey}` }, agent: false }, (response) => {
          let rest = '';
          response.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => {
            const frames = (rest + chunk).split('\n\n');
            rest = frames.pop() ?? '';
            for (const frame of frames) {
              if (!frame.startsWith('event: turn')) continue;
              const { at, text } = JSON.parse(frame.slice(frame.indexOf('data: ') + 6));
              const known = read.get(thread) ?? { firstMs: performance.now(), text: '' };
              read.set(thread, { ...known, text: known.text.slice(0, at) + text });
            }
          });
          resolve(response);
        }).once('error', reject);
      });
    }
    isOpen = true;
    for (const begin of held.splice(0)) begin();
    await until('every turn has ended', async () => (await ended()) >= together);
    for (const reader of readers) reader.destroy();
    const lates = [...read].map(([thread, { firstMs }]) => firstMs - (wroteMs.get(thread) ?? 0));
    lates.sort((one, other) => one - other);
    if (lates.length < together) throw new Error(`${together - lates.length} readers had no words`);

    const before = await residentMiB();
    /** @type {number[]} */
    const memory = [];
    for (let part = 1; part <= 4; part += 1) {
      await runLoad({ ...load, connections: 8, rate: 50, count: Math.ceil(turns / 4) });
      await until('the turns have ended', async () => (await ended()) >= together + part * Math.ceil(turns / 4));
      memory.push(await residentMiB());
    }
    return table(
      [
        'turns at once',
        'first words, ms p50',
        'max',
        'streamed turns',
        'MiB before',
        'after a quarter',
        'a half',
        'three',
        'all',
      ],
      [
        [
          together,
          shown(lates[Math.floor(lates.length / 2)] ?? 0, 1),
          shown(lates.at(-1) ?? 0, 1),
          turns,
          shown(before, 0),
          ...memory.map((each) => shown(each, 0)),
        ],
      ],
    );
  } finally {
    await db.end();
    await gatehouse.close();
    model.closeAllConnections();
    model.close();
  }
}
