// One process of slow clients for bench/slow.mjs: heads that never end, bodies that come byte by byte, or answers that
// nobody reads. A client that is refused or closed comes again after a second. GET / says what became of them.
import { createServer } from 'node:http';
import { connect } from 'node:net';

/**
 * @typedef {object} SlowClients
 * @property {string} origin
 * @property {string} pathname of a webhook
 * @property {string} longPath of the longest answer that needs no key
 * @property {string} kind `heads`, `bodies` or `readers`
 * @property {number} count
 * @property {string} localAddress
 */
/** @type {SlowClients} */
const { origin, pathname, longPath, kind, count, localAddress } = JSON.parse(process.argv[2] ?? '{}');
const { hostname, port } = new URL(origin);
const everyMs = 500;
const reconnectMs = 1_000;

const starts = {
  heads: `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nX-Slow: `,
  bodies: `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n`,
  readers: `GET ${longPath} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(10),
};
const text = starts[/** @type {keyof typeof starts} */ (kind)] ?? '';
/** @type {Record<string, number>} */
const outcome = {};
/** @param {string} what */
const note = (what) => (outcome[what] = (outcome[what] ?? 0) + 1);

function drive() {
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  let answered = '';
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  socket.once('connect', () => {
    socket.write(text);
    if (kind !== 'readers') timer = setInterval(() => socket.writable && socket.write('x'), everyMs);
  });
  if (kind === 'readers') socket.pause();
  else socket.on('data', (chunk) => (answered ||= chunk.toString('latin1').slice(9, 12)));
  socket.on('error', () => undefined);
  socket.once('close', () => {
    clearInterval(timer);
    note(answered || 'closed');
    setTimeout(drive, reconnectMs);
  });
}

for (let n = 0; n < count; n += 1) drive();
const server = createServer((_request, response) => response.end(JSON.stringify(outcome)));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' && address?.port })}\n`);
});
