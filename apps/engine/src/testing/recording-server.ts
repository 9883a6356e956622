import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordingServer {
  url: string;
  calls: { method: string; url: string; body: string }[];
  answer: () => object;
  status: (request: IncomingMessage) => number;
  close(): Promise<void>;
}

/** A target for tools that answers with JSON, 201 at first, and records its requests. */
export async function recordingServer(): Promise<RecordingServer> {
  const calls: RecordingServer['calls'] = [];
  let answer: RecordingServer['answer'] = () => ({ made: true });
  let status: RecordingServer['status'] = () => 201;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      calls.push({ method: request.method ?? '', url: request.url ?? '', body: Buffer.concat(chunks).toString() });
      response
        .writeHead(status(request), { 'content-type': 'application/json', 'set-cookie': 'session=1' })
        .end(JSON.stringify(answer()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    get answer() {
      return answer;
    },
    set answer(next) {
      answer = next;
    },
    get status() {
      return status;
    },
    set status(next) {
      status = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
