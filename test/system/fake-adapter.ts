import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An adapter of a provider that declares its webhook's rules, which the ingress then applies itself. */
export interface FakeAdapter {
  url: string;
  /** The answer of `/parse-inbound` from now on, as JSON; it may be computed from the webhook's body. */
  parsed: string | ((body: string) => string);
  /** How often it was called. */
  parses: number;
  close(): Promise<void>;
}

/** @param webhook the manifest's `webhook`; @param credentials its declarations */
export async function openFakeAdapter(slug: string, webhook: object, credentials: object[] = []): Promise<FakeAdapter> {
  const answers: Record<string, object | undefined> = {
    'manifest.json': {
      schema_version: '1.0',
      slug,
      name: slug,
      description: 'A provider that declares its rules.',
      category: 'Integration',
      capabilities: ['receive'],
      credentials,
      webhook,
    },
    verify: { ok: true, user: 'fake' },
    health: { status: 'ready', version: '1', adapter: slug },
  };
  const hello = { event_type: 'message_received', sender: 'fake', message: 'hello', is_bot: false };
  const server = createServer((request, response) => {
    const path = request.url?.replace(`/${slug}/`, '') ?? '';
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const answer = path === 'parse-inbound' ? parse(Buffer.concat(chunks)) : JSON.stringify(answers[path]);
      response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' }).end(answer ?? '{}');
    });
  });
  const parse = (asked: Buffer): string => {
    adapter.parses += 1;
    if (typeof adapter.parsed === 'string') return adapter.parsed;
    const { request } = JSON.parse(asked.toString('utf8')) as { request: { body: string } };
    return adapter.parsed(request.body);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const adapter: FakeAdapter = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${slug}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    parsed: JSON.stringify(hello),
    parses: 0,
  };
  return adapter;
}
