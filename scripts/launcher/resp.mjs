import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

/**
 * Sends commands to Redis one after another on a new connection. It understands the answers of PING, AUTH and INFO:
 * simple strings, errors and one bulk string each.
 * @param {string} url redis://[user[:password]@]host[:port] or rediss://
 * @param {string[][]} commands
 * @param {number} [timeoutMs]
 * @returns {Promise<string[]>} one reply per command
 * @throws on a refused connection, a timeout or an error reply (NOAUTH, LOADING, …)
 */
export function askRedis(url, commands, timeoutMs = 5_000) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const auth = password
    ? [['AUTH', ...(username ? [decodeURIComponent(username)] : []), decodeURIComponent(password)]]
    : [];
  const all = [...auth, ...commands];
  const host = hostname.replace(/^\[|\]$/g, '');
  const target = { host, port: Number(port || 6379) };
  return new Promise((resolve, reject) => {
    const socket = protocol === 'rediss:' ? connectTls({ ...target, servername: host }) : connect(target);
    /** @type {string[]} */
    const replies = [];
    let buffer = Buffer.alloc(0);
    const finish = (/** @type {Error | null} */ error) => {
      socket.destroy();
      if (error) reject(error);
      else resolve(replies.slice(auth.length));
    };
    socket.setTimeout(timeoutMs, () => finish(new Error(`no answer within ${timeoutMs} ms`)));
    socket.once('error', finish);
    socket.once('close', () => finish(new Error('the connection was closed')));
    socket.on('data', (chunk) => {
      buffer = Buffer.concat([buffer, chunk]);
      for (let read = parse(buffer); read; read = parse(buffer)) {
        if (read.error) return finish(new Error(read.text));
        replies.push(read.text);
        buffer = buffer.subarray(read.length);
        if (replies.length === all.length) return finish(null);
      }
    });
    socket.write(all.map(encode).join(''));
  });
}

/** @param {string[]} words */
const encode = (words) =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;

/** @param {Buffer} buffer @returns {{text: string, length: number, error?: boolean} | null} null while incomplete */
function parse(buffer) {
  const end = buffer.indexOf('\r\n');
  if (end < 0) return null;
  const kind = String.fromCharCode(buffer[0] ?? 0);
  const line = buffer.toString('utf8', 1, end);
  if (kind !== '$') return { text: line, length: end + 2, error: kind === '-' };
  const size = Math.max(0, Number(line));
  if (buffer.length < end + 4 + size) return null;
  return { text: buffer.toString('utf8', end + 2, end + 2 + size), length: end + 4 + size };
}
