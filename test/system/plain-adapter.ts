import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call that the adapter got. */
export interface PlainCall {
  route: string;
  headers: IncomingHttpHeaders;
  body: {
    request?: { url: string; path: string; body: string; query: Record<string, unknown> };
    text?: string;
    message?: { text: string };
    idempotency_key?: string;
    resource_path?: string;
  };
}

/** An adapter in plain Node. A test sets its answers by route. */
export interface PlainAdapter {
  url: string;
  calls: PlainCall[];
  /** By route; promises are awaited. */
  answers: Record<string, (body: PlainCall['body']) => unknown>;
  close(): Promise<void>;
}

export async function openPlainAdapter(slug: string): Promise<PlainAdapter> {
  const manifest = {
    schema_version: '1.0',
    slug,
    name: slug,
    description: 'Written from the contract alone.',
    category: 'communication',
    capabilities: ['receive'],
    credentials: [],
  };
  const adapter: Omit<PlainAdapter, 'url' | 'close'> = {
    calls: [],
    answers: {
      'manifest.json': () => manifest,
      health: () => ({ status: 'ready', version: '1', adapter: slug }),
    },
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const route = request.url?.replace(`/${slug}/`, '') ?? '';
      const body = bodyOf(Buffer.concat(chunks).toString());
      if (!body) return void response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"no_json"}');
      adapter.calls.push({ route, headers: request.headers, body });
      const answer = adapter.answers[route];
      void Promise.resolve(answer?.(body)).then((value) =>
        response
          .writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
          .end(JSON.stringify(value ?? { error: 'not_found' })),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(adapter, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${slug}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

/** @returns null for anything but JSON */
function bodyOf(text: string): PlainCall['body'] | null {
  try {
    return (text === '' ? {} : JSON.parse(text)) as PlainCall['body'];
  } catch {
    return null;
  }
}
