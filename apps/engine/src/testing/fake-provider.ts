import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProviderRequest {
  method: string;
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  text: string;
  bytes: Buffer;
  body: Record<string, unknown>;
}

/** A JSON body with status 200, a status with a body, or a handler of the response itself. */
export type ProviderAnswer =
  | { json: unknown }
  | { status: number; json: unknown; headers?: Record<string, string> }
  | ((response: ServerResponse) => void);

export interface FakeProvider {
  url: string;
  requests: ProviderRequest[];
  answer(answer: (request: ProviderRequest) => ProviderAnswer): void;
  close(): Promise<void>;
}

/** An HTTP server that records requests to a provider and answers as the test says. */
export async function fakeProvider(): Promise<FakeProvider> {
  const requests: ProviderRequest[] = [];
  let answering: (request: ProviderRequest) => ProviderAnswer = () => ({ status: 500, json: {} });
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const text = bytes.toString();
      const isJson = text.startsWith('{');
      const request = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
        text,
        bytes,
        body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
      };
      requests.push(request);
      const answer = answering(request);
      if (typeof answer === 'function') return answer(response);
      const headers = { 'content-type': 'application/json', ...('headers' in answer ? answer.headers : {}) };
      response.writeHead('status' in answer ? answer.status : 200, headers).end(JSON.stringify(answer.json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (next) => {
      answering = next;
      requests.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
