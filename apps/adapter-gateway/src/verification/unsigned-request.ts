import type { InboundRequest } from '#libs/contracts';

/** A webhook that nobody signed, as an adapter gets one; the token of the App's own URL stays out. */
export function unsignedRequest(path: string): InboundRequest {
  const masked = path.replace(/[^/]+$/, '***');
  return {
    method: 'POST',
    url: `https://gatehouse.invalid${masked}`,
    path: masked,
    query: {},
    headers: { 'content-type': 'application/json', host: 'gatehouse.invalid' },
    body: '{"type":"verify"}',
    body_encoding: 'utf8',
  };
}
