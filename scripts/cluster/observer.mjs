// Runs in a pod beside Gatehouse: sends webhooks at a steady rate, receives the replies, and reports what became of each message.
// POST /start, POST /stop, GET /report; replies come to /replies.
import { createServer, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** A provider's patience with one request, and with one message. */
const [REQUEST_MS, RETRY_MS, MESSAGE_MS, LATE_MS] = [10_000, 1_000, 180_000, 5_000];

/** @typedef {{sentAt: number, ackedAt: number, id: string, refused: string[], refusedAt: number}} Message */
/** @type {Map<string, {at: number, keys: Map<string, number>}>} */
const replies = new Map();
/** @type {{messages: Message[], open: boolean, sending: Promise<unknown>}} */
let load = { messages: [], open: false, sending: Promise.resolve() };

/** A connection of its own for each request, so that each goes to any pod. @param {string} url @param {string} key */
function send(url, key) {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      agent: false,
      timeout: REQUEST_MS,
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
    });
    sent.on('timeout', () => sent.destroy(new Error('timeout')));
    sent.on('error', (error) => reject(new Error('code' in error ? String(error.code) : error.message)));
    sent.on('response', (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('error', reject);
      response.on('end', () =>
        response.statusCode === 200 ? resolve(JSON.parse(text).id) : reject(new Error(String(response.statusCode))),
      );
    });
    sent.end(JSON.stringify({ task: `message ${key}` }));
  });
}

/** Sends one message until it is acknowledged. @param {string} url @param {string} key @param {Message} message */
async function deliver(url, key, message) {
  while (message.id === '' && Date.now() - message.sentAt < MESSAGE_MS) {
    try {
      message.id = await send(url, key);
      message.ackedAt = Date.now();
    } catch (error) {
      message.refused.push(error instanceof Error ? error.message : String(error));
      message.refusedAt = Date.now();
      await pause(RETRY_MS);
    }
  }
}

/** @param {{url: string, rate: number, run: string}} how */
async function steadily({ url, rate, run }) {
  const began = Date.now();
  const all = [];
  for (let n = 0; load.open; n += 1) {
    await pause(Math.max(0, began + (n * 1_000) / rate - Date.now()));
    const message = { sentAt: Date.now(), ackedAt: 0, id: '', refused: [], refusedAt: 0 };
    load.messages.push(message);
    all.push(deliver(url, `${run}-${n}`, message));
  }
  await Promise.all(all);
}

/** @param {number} since when the disturbance began */
function report(since) {
  const { messages } = load;
  const acknowledged = messages.filter(({ id }) => id !== '');
  const replied = acknowledged.filter(({ id }) => replies.has(id));
  const took = replied.map(({ id, sentAt }) => (replies.get(id)?.at ?? 0) - sentAt).sort((one, other) => one - other);
  const at = (/** @type {number} */ share) => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0;
  const tries = messages.flatMap(({ refused }) => refused);
  const ends = messages.flatMap(({ id, sentAt, refusedAt }) => {
    const arrived = replies.get(id)?.at ?? 0;
    return [refusedAt, arrived - sentAt > LATE_MS ? arrived : 0].filter((when) => when > since);
  });
  return {
    sent: messages.length,
    acknowledged: acknowledged.length,
    merged: acknowledged.length - new Set(acknowledged.map(({ id }) => id)).size,
    refused: messages.filter(({ refused }) => refused.length > 0).length,
    why: Object.fromEntries([...new Set(tries)].map((why) => [why, tries.filter((each) => each === why).length])),
    lost: messages.length - replied.length,
    missing: acknowledged
      .filter(({ id }) => !replies.has(id))
      .map(({ id }) => id)
      .slice(0, 5),
    doubled: acknowledged.filter(({ id }) => (replies.get(id)?.keys.size ?? 0) > 1).length,
    p50: at(0.5),
    p99: at(0.99),
    longest: took.at(-1) ?? 0,
    // Until the last refusal, and the last reply that came late.
    overMs: ends.length > 0 ? Math.max(...ends) - since : 0,
  };
}

createServer((asked, answer) => {
  let text = '';
  asked.on('data', (chunk) => (text += chunk));
  asked.on('end', async () => {
    const { pathname, searchParams } = new URL(asked.url ?? '/', 'http://observer');
    answer.setHeader('content-type', 'application/json');
    if (pathname === '/replies') {
      const reply = JSON.parse(text);
      const known = replies.get(reply.in_reply_to) ?? { at: Date.now(), keys: new Map() };
      const key = String(asked.headers['idempotency-key'] ?? '');
      known.keys.set(key, (known.keys.get(key) ?? 0) + 1);
      replies.set(reply.in_reply_to, known);
      return answer.end('{}');
    } else if (pathname === '/start') {
      load = { messages: [], open: true, sending: Promise.resolve() };
      load.sending = steadily(JSON.parse(text));
    } else if (pathname === '/stop') {
      load.open = false;
      await load.sending;
    }
    answer.end(JSON.stringify(report(Number(searchParams.get('since') ?? 0))));
  });
}).listen(9000);
