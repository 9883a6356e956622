import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request of the vault to the gateway. */
export interface AdapterCall {
  path: string;
  body: { organization_id: string; adapter_slug: string; credentials: Record<string, unknown> };
}

/** The gateway's internal routes that the vault asks, over HTTP. */
export interface FakeGateway {
  url: string;
  calls: AdapterCall[];
  /** Sets its next answers. */
  answers(status: number, body: object): void;
  close(): Promise<void>;
}

export async function fakeGateway(): Promise<FakeGateway> {
  let next = { status: 200, body: { ok: true } as object };
  const calls: AdapterCall[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      calls.push({
        path: request.url ?? '',
        body: JSON.parse(Buffer.concat(chunks).toString() || '{}') as AdapterCall['body'],
      });
      response.writeHead(next.status, { 'content-type': 'application/json' }).end(JSON.stringify(next.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answers: (status, body) => {
      next = { status, body };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
