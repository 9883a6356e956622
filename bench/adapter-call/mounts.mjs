// Many adapters on one host: /fast answers; every other one accepts a call and never answers.
import { createServer } from 'node:http';

const answer = JSON.stringify({ text: 'hello', format: 'plain', parts: ['hello'], lossy: [] });
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    if (!request.url?.startsWith('/fast/')) return;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 })}\n`);
});
