import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeEngine {
  url: string;
  /** The requests, in order. */
  asked: { authorization: string | undefined; body: unknown }[];
  close(): Promise<void>;
}

/** The engine that runs call back. @param answer status and JSON of the answer to a path */
export async function fakeEngine(answer: (path: string) => [number, object]): Promise<FakeEngine> {
  const asked: FakeEngine['asked'] = [];
  const server = createServer((request, response) => {
    void textOf(request).then((text) => {
      asked.push({ authorization: request.headers.authorization, body: JSON.parse(text) });
      const [status, body] = answer(request.url ?? '');
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
