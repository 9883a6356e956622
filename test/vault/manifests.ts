import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The only answer of the gateway that the vault needs here: the `oauth_config` of an adapter's manifest. */
export async function startManifests(
  configs: Record<string, object>,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const slug = /^\/internal\/oauth-providers\/([^?]+)\?organization_id=org_a$/.exec(request.url ?? '')?.[1] ?? '';
    const known = request.headers.authorization?.startsWith('Bearer ') && configs[slug];
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(known ? { slug, manifest_version: 1, oauth_config: known } : { code: 'adapter_not_found' }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
