// Takes spans as OTLP over HTTP, and does nothing with them. GET /report: how many requests and bytes.
import { createServer } from 'node:http';

let requests = 0;
let bytes = 0;

const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  if (request.url === '/report') return response.end(JSON.stringify({ requests, bytes }));
  requests += 1;
  request.on('data', (chunk) => (bytes += chunk.length)).once('end', () => response.end('{}'));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 })}\n`);
});
