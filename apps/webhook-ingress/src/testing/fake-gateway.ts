import type { Endpoint, HandshakeResult, InboundRequest } from '#libs/contracts';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHash } from 'node:crypto';

type Answer = HandshakeResult['answer'];

/** What the ingress sends when it asks about a handshake. */
export interface Asked {
  request: InboundRequest;
  verified: boolean;
  declared: boolean;
}

/** A gateway and a vault, as far as the ingress uses them. */
export interface FakeGateway {
  url: string;
  endpoints: Endpoint[];
  /** Fields of every credential that is not in `records`. */
  fields: Record<string, string>;
  /** By credential id. */
  records: Map<string, Record<string, string | string[]>>;
  /** Credentials that no App is bound to any more: the vault answers 403. */
  unbound: Set<string>;
  /** While true all of it answers 503. */
  vaultDown: boolean;
  /** How often it refused to say which endpoints there are. */
  refusedPulls: number;
  /** What the vault was asked for. */
  resolved: { credential_id: string; consumer?: { kind: string; id: string } }[];
  /** The answer of an App's adapter to a request; null when it is no handshake. */
  handshake: (request: InboundRequest) => Promise<Answer> | Answer;
  /** Why the adapter does not accept a request that it has to verify; null when it does. */
  refuses: (request: InboundRequest) => string | null;
  asked: Asked[];
  /** The outages that it was informed of, in order. */
  outages: { app_id: string | null; since: string; until: string }[];
  close(): Promise<void>;
}

export async function fakeGateway(): Promise<FakeGateway> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void answer(request.url ?? '', Buffer.concat(chunks).toString()).then((value) =>
        response
          .writeHead(fake.vaultDown ? 503 : 'code' in value ? 403 : 200, { 'content-type': 'application/json' })
          .end(JSON.stringify(value)),
      );
    });
  });
  const answer = async (path: string, body: string): Promise<object> => {
    if (path.startsWith('/internal/endpoints')) {
      if (fake.vaultDown) fake.refusedPulls += 1;
      return { endpoints: fake.endpoints };
    }
    if (path.startsWith('/internal/credentials')) {
      const wanted = JSON.parse(body) as FakeGateway['resolved'][number];
      fake.resolved.push(wanted);
      if (fake.unbound.has(wanted.credential_id)) return { code: 'not_bound', detail: 'It is not bound.' };
      return { type: 'text', fields: fake.records.get(wanted.credential_id) ?? fake.fields };
    }
    if (path === '/internal/missed') {
      if (!fake.vaultDown) fake.outages.push(...(JSON.parse(body) as Pick<FakeGateway, 'outages'>).outages);
      return { apps: 0 };
    }
    const asked = JSON.parse(body) as Asked;
    fake.asked.push(asked);
    const { request, verified, declared } = asked;
    const error = request.method === 'POST' && !verified ? fake.refuses(request) : null;
    if (error !== null) return { refused: { error }, answer: null };
    return { answer: declared ? null : await fake.handshake(request) };
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeGateway = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    endpoints: [],
    fields: {},
    records: new Map(),
    unbound: new Set(),
    vaultDown: false,
    refusedPulls: 0,
    resolved: [],
    handshake: () => null,
    refuses: () => null,
    asked: [],
    outages: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fake;
}

export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** An endpoint of an adapter's App with unsigned webhooks. */
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
    max_body_bytes: 1_048_576,
    credentials: [{ key: 'SIGNING_SECRET', type: 'text', maps_to: 'signing_secret', credential_id: 'cred_1' }],
    version: 1,
    ...change,
  };
}
