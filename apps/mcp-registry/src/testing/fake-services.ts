import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordedRequest {
  method: string;
  path: string;
  body: Record<string, unknown>;
}

type Answer = { status?: number; body: unknown };

/** Vault, engine and Python runner as one HTTP server. It answers as the test says and records the requests. */
export interface FakeServices {
  url: string;
  asked: RecordedRequest[];
  /** Fields of credentials by id. Any other id is a 404. */
  credentials: Map<string, Record<string, string>>;
  /** Versions of the access tokens of grants. */
  versions: Map<string, number>;
  /** What the vault does with a token that was refused: changes the credential, or answers why it does not. */
  replace: ((id: string) => Answer | null) | null;
  /** Whether the vault answers 503. */
  down: boolean;
  /** The URL of the client metadata document, as the vault gives it. */
  clientMetadataUrl: string | null;
  /** The agents that use something, as the engine gives them. */
  users: { id: string; name: string }[];
  /** What the engine answers about the agents that a change affects; null: no answer. */
  effect: object | null;
  /** What the engine answers about what agents may do; null: no answer. */
  powers: object | null;
  /** What the engine answers when a Python tool is tried; null: no answer. */
  tried: object | null;
  /** What the engine answers about calls of Python tools. */
  pythonCalls: object[];
  /** What the runner answers about a source. */
  compile(source: string): unknown;
  close(): Promise<void>;
}

export async function startFakeServices(): Promise<FakeServices> {
  const fake: Omit<FakeServices, 'url' | 'close'> = {
    asked: [],
    credentials: new Map(),
    versions: new Map(),
    replace: null,
    clientMetadataUrl: null,
    down: false,
    users: [],
    effect: { agents: [], more: 0 },
    powers: { agents: [], more: 0 },
    tried: null,
    pythonCalls: [],
    compile: (source) => ({
      ok: true,
      name: /def (\w+)/.exec(source)?.[1] ?? 'nameless',
      description: 'A tool.',
      input_schema: { type: 'object', properties: {} },
      uses: { http: source.includes('http_request'), credentials: [] },
    }),
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const asked = { method: request.method ?? '', path: request.url ?? '', body: text ? JSON.parse(text) : {} };
      fake.asked.push(asked);
      const { status = 200, body } = answerOf(fake, asked);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(fake, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

function answerOf(fake: Omit<FakeServices, 'url' | 'close'>, { method, path, body }: RecordedRequest): Answer {
  if (path === '/internal/compile') return { body: fake.compile(String(body['source'])) };
  if (path.startsWith('/internal/agents/using')) return { body: { agents: fake.users } };
  if (path.startsWith('/internal/python-calls')) return { body: { calls: fake.pythonCalls } };
  if (path === '/internal/python-tries') {
    return fake.tried ? { body: fake.tried } : { status: 503, body: { code: 'runner_busy', detail: 'Not now.' } };
  }
  if (path.startsWith('/internal/agents/powers')) {
    return fake.powers ? { body: fake.powers } : { status: 503, body: { code: 'not_now', detail: 'Not now.' } };
  }
  if (path.startsWith('/internal/agents/toolsets')) {
    return fake.effect ? { body: fake.effect } : { status: 503, body: { code: 'not_now', detail: 'Not now.' } };
  }
  if (fake.down) return { status: 503, body: { code: 'not_now', detail: 'The vault does not answer.' } };
  if (path.startsWith('/internal/mcp-servers/')) return managedAnswer(fake, method, path, body);
  const id = String(body['credential_id'] ?? '');
  const missing = { status: 404, body: { code: 'credential_not_found', detail: `There is no credential ${id}.` } };
  if (path === '/internal/bindings' && method === 'PUT') return fake.credentials.has(id) ? { body: {} } : missing;
  if (path.startsWith('/internal/bindings/')) return { body: {} };
  if (path === '/internal/credentials/resolve') {
    const refused = body['refused_version'];
    const failed = refused !== undefined && refused === fake.versions.get(id) ? fake.replace?.(id) : null;
    if (failed) return failed;
    const fields = fake.credentials.get(id);
    const version = fake.versions.get(id);
    const versioned = version === undefined ? {} : { token_version: version };
    return fields ? { body: { credential_id: id, generation: 1, type: 'text', fields, ...versioned } } : missing;
  }
  return { status: 404, body: { code: 'not_found', detail: 'There is nothing at this path.' } };
}

/** The vault's credentials of servers. A grant is connected once the test gives its credential an access token. */
function managedAnswer(
  { credentials, clientMetadataUrl }: Pick<FakeServices, 'credentials' | 'clientMetadataUrl'>,
  method: string,
  path: string,
  body: Record<string, unknown>,
): Answer {
  const [, , , , , id = 'cred_oauth'] = path.split('/');
  if (method === 'DELETE') credentials.delete(id);
  else credentials.set(id, { client_id: String(body['client_id'] ?? '') });
  const redirect_uri = 'https://gatehouse.example/callback';
  return { body: { id, redirect_uri, client_metadata_url: clientMetadataUrl } };
}
