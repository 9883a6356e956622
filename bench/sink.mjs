// Receives deliveries. Honours Idempotency-Key as the contract requires: a repeated key is answered but not applied.
// GET /report (deliveries, and their latency by the time in the receipt's id), POST /clear.
import { createServer } from 'node:http';

/** @type {Map<string, number>} key → number of requests with it */
let keys = new Map();
/** @type {Map<string, {at: number, deliveries: number}>} receipt id → first arrival, number of distinct keys */
let receipts = new Map();
/** @type {number[]} */
let latencies = [];
let requests = 0;
let lastAt = 0;

/** The time in an event id: its first 48 bits are ms since the epoch (UUIDv7). @param {string} id */
const madeAt = (id) => Number.parseInt(id.slice(4, 16), 16);

/** @param {import('node:http').IncomingMessage} request @param {string} text */
function deliver(request, text) {
  const key = String(request.headers['idempotency-key'] ?? '');
  const now = Date.now();
  requests += 1;
  lastAt = now;
  const before = keys.get(key) ?? 0;
  keys.set(key, before + 1);
  if (before > 0) return;
  const id = String(JSON.parse(text).in_reply_to ?? '');
  if (id === '') return;
  const known = receipts.get(id);
  if (known) known.deliveries += 1;
  else {
    receipts.set(id, { at: now, deliveries: 1 });
    if (id.startsWith('evt_')) latencies.push(now - madeAt(id));
  }
}

function report() {
  const sorted = [...latencies].sort((a, b) => a - b);
  const at = (/** @type {number} */ share) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    requests,
    applied: keys.size,
    receipts: receipts.size,
    doubled: [...receipts.values()].filter(({ deliveries }) => deliveries > 1).length,
    lastAt,
    p50: at(0.5),
    p99: at(0.99),
    p999: at(0.999),
  };
}

const server = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk) => (text += chunk));
  request.on('end', () => {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/report') return response.end(JSON.stringify(report()));
    if (request.url === '/arrivals')
      return response.end(JSON.stringify([...receipts].map(([id, { at, deliveries }]) => [id, at, deliveries])));
    if (request.url === '/clear') {
      [keys, receipts, latencies, requests, lastAt] = [new Map(), new Map(), [], 0, 0];
      return response.end('{}');
    }
    deliver(request, text);
    response.end('{}');
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 })}\n`);
});
