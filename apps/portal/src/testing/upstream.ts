import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Upstream {
  url: string;
  seen: SeenRequest[];
  close(): Promise<void>;
}

/**
 * A real HTTP server in place of a service. It records requests and answers its document at `/openapi.json`, a large
 * list at `…?large`, and 200 `{"from"}` to anything else.
 * @param answers by path: what it answers instead
 */
export async function startUpstream(
  from: string,
  document: object,
  answers: Record<string, object> = {},
): Promise<Upstream> {
  const seen: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, headers, body: Buffer.concat(chunks) });
    const large = url.endsWith('?large') && { data: Array.from({ length: 200 }, () => ({ from })) };
    const answer = JSON.stringify(url === '/openapi.json' ? document : large || (answers[url] ?? { from }));
    response.setHeader('content-type', 'application/json').setHeader('content-length', answer.length).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
