// The upper bound: reads the body, checks the HMAC, stores nothing.
import { createServer } from 'node:http';
import { signed } from './read-and-check.mjs';

const { secret } = JSON.parse(process.argv[2] ?? '{}');
const server = createServer((request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const ok = signed(secret, Buffer.concat(chunks), request.headers['x-signature-256']);
    response.writeHead(ok ? 200 : 401, { 'content-type': 'application/json' }).end('{"received":true}');
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 })}\n`);
});
