import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An adapter of a provider that declares its webhook's rules, so that the ingress applies them itself. */
export interface StubAdapter {
  url: string;
  close(): Promise<void>;
}

/** @param webhook the manifest's `webhook` */
export async function openStubAdapter(slug: string, webhook: object): Promise<StubAdapter> {
  const answers: Record<string, object> = {
    'manifest.json': {
      schema_version: '1.0',
      slug,
      name: slug,
      description: 'A provider that declares its rules.',
      category: 'Integration',
      capabilities: ['receive'],
      credentials: [],
      webhook,
    },
    health: { status: 'ready', version: '1', adapter: slug },
    'parse-inbound': { event_type: 'message_received', sender: 'stub', message: 'hello', is_bot: false },
  };
  const server = createServer((request, response) => {
    const answer = answers[request.url?.replace(`/${slug}/`, '') ?? ''];
    request.resume();
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${slug}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
