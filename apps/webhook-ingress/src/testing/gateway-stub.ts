import type { Endpoint, InboundRequest } from '#libs/contracts';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHash } from 'node:crypto';

/** A gateway and a vault, as far as the ingress asks them. */
export interface GatewayStub {
  url: string;
  endpoints: Endpoint[];
  /** Fields of every credential that `records` does not have. */
  fields: Record<string, string>;
  /** By credential id. */
  records: Map<string, Record<string, string | string[]>>;
  /** While true the vault answers 503. */
  vaultDown: boolean;
  /** What the vault was asked for. */
  resolved: { credential_id: string; consumer?: { kind: string; id: string } }[];
  /** What an App's adapter says to a request: null when it is no handshake. */
  handshake: (request: InboundRequest) => Promise<object | null> | object | null;
  asked: InboundRequest[];
  close(): Promise<void>;
}

export async function gatewayStub(): Promise<GatewayStub> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void answer(request.url ?? '', Buffer.concat(chunks).toString()).then((value) =>
        response
          .writeHead(stub.vaultDown ? 503 : 200, { 'content-type': 'application/json' })
          .end(JSON.stringify(value)),
      );
    });
  });
  const answer = async (path: string, body: string): Promise<object> => {
    if (path.startsWith('/internal/endpoints')) return { endpoints: stub.endpoints };
    if (path.startsWith('/internal/credentials')) {
      const asked = JSON.parse(body) as GatewayStub['resolved'][number];
      stub.resolved.push(asked);
      return { type: 'text', fields: stub.records.get(asked.credential_id) ?? stub.fields };
    }
    const { request } = JSON.parse(body) as { request: InboundRequest };
    stub.asked.push(request);
    return { answer: await stub.handshake(request) };
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stub: GatewayStub = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    endpoints: [],
    fields: {},
    records: new Map(),
    vaultDown: false,
    resolved: [],
    handshake: () => null,
    asked: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return stub;
}

export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** An endpoint of an adapter's App, whose webhooks anyone may send. */
export function endpoint(token: string, change: Partial<Endpoint> = {}): Endpoint {
  return {
    app_id: `app_${token}`,
    organization_id: 'org_1',
    project_id: 'prj_1',
    token_hash: tokenHash(token),
    previous_token: null,
    retired_token_hashes: [],
    kind: 'adapter',
    state: 'active',
    verification: 'adapter',
    handshake: null,
    adapter_handshake: false,
    ack: { status: 200, body: null, content_type: null },
    delivery_id_header: null,
    url_secret: false,
    max_body_bytes: 1_048_576,
    credentials: [{ key: 'SIGNING_SECRET', type: 'text', maps_to: 'signing_secret', credential_id: 'cred_1' }],
    version: 1,
    ...change,
  };
}
