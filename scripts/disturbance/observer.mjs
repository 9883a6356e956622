// Runs beside Gatehouse, in a pod or a container: sends webhooks at a steady rate, and receives the replies.
// POST /start, /stop, /sign, /seen; replies come to /replies. It imports nothing of ours, since only this file gets there.
import { createHmac } from 'node:crypto';
import { createServer, request as requestByHttp } from 'node:http';
import { request as requestByTls } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';

/** A provider's patience with one request, and with one message. */
const [REQUEST_MS, RETRY_MS, MESSAGE_MS] = [10_000, 1_000, 600_000];

/** @typedef {import('./tally.mjs').Message} Message */
/** @typedef {{url: string, rate: number, run: string, secret?: string}} Load */
/** @type {Map<string, {at: number, keys: Set<string>}>} */
const replies = new Map();
/** @type {{messages: Message[], open: boolean, secret: string}} */
let load = { messages: [], open: false, secret: '' };

/** A connection of its own for each request, so that each goes to any replica. @param {string} url @param {string} key */
function send(url, key) {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify({ task: `message ${key}` });
    const signature = load.secret && createHmac('sha256', load.secret).update(body).digest('hex');
    const sent = (url.startsWith('https:') ? requestByTls : requestByHttp)(url, {
      method: 'POST',
      agent: false,
      timeout: REQUEST_MS,
      // The proxy of a test signs its certificate itself.
      rejectUnauthorized: false,
      headers: {
        'content-type': 'application/json',
        'idempotency-key': key,
        ...(signature && { 'x-signature-256': `sha256=${signature}` }),
      },
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
    sent.end(body);
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

/** @param {Load} how */
async function steadily({ url, rate, run }) {
  const began = Date.now();
  for (let n = 0; load.open; n += 1) {
    await pause(Math.max(0, began + (n * 1_000) / rate - Date.now()));
    const message = { sentAt: Date.now(), ackedAt: 0, id: '', refused: [], refusedAt: 0 };
    load.messages.push(message);
    void deliver(url, `${run}-${n}`, message);
  }
}

/** The messages of this load, and the replies to them. */
function seen() {
  const mine = load.messages.flatMap(({ id }) => {
    const reply = replies.get(id);
    return reply ? [[id, { at: reply.at, keys: reply.keys.size }]] : [];
  });
  return { messages: load.messages, replies: Object.fromEntries(mine) };
}

createServer((asked, answer) => {
  let text = '';
  asked.on('data', (chunk) => (text += chunk));
  asked.on('end', () => {
    answer.setHeader('content-type', 'application/json');
    if (asked.url === '/replies') {
      const reply = JSON.parse(text);
      const known = replies.get(reply.in_reply_to) ?? { at: Date.now(), keys: new Set() };
      known.keys.add(String(asked.headers['idempotency-key'] ?? ''));
      replies.set(reply.in_reply_to, known);
    } else if (asked.url === '/start') {
      const how = JSON.parse(text);
      load = { messages: [], open: true, secret: how.secret ?? '' };
      void steadily(how);
    } else if (asked.url === '/sign') {
      load.secret = JSON.parse(text).secret;
    } else if (asked.url === '/stop') {
      load.open = false;
    }
    answer.end(JSON.stringify(asked.url === '/seen' ? seen() : {}));
  });
}).listen(9000);
