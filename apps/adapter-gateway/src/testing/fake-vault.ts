import { type SecretForm, secretWeakness } from '#libs/adapter-sdk';
import { httpServer, sendJson, type TestServer } from './http-server.js';

type Answer = [body: unknown, status?: number];

/** The vault's internal routes over HTTP: opens what is bound and connected, and knows what is bound. */
export interface FakeVault extends TestServer {
  /** Fields by credential id; of the type text unless `types` says otherwise. */
  credentials: Map<string, Record<string, string | string[]>>;
  types: Map<string, 'api_key' | 'text' | 'oauth2'>;
  /** Credential ids by App. */
  bound: Map<string, Set<string>>;
  /** The fields of a credential that may be read to check signatures, as it last heard: by App and credential id. */
  signing: Map<string, string[] | null>;
  /** Of the tokens of an oauth2 credential. */
  versions: Map<string, number>;
  /** The answer to whoever reports its token as refused; absent: it is not replaced. */
  replace: ((credentialId: string) => Answer | null) | null;
  /** Reports of refused tokens: credential and version. */
  refused: string[];
  /** Every request but those for descriptions: method and path. */
  asked: string[];
  /** While true it answers 503. */
  down: boolean;
}

interface BoundCredential {
  credential_id: string;
  signing: string[] | null;
}

/** The fields that its routes read. */
interface VaultRequest {
  credential_ids: string[];
  credential_id: string;
  consumer: { id: string };
  signing: string[] | null;
  credentials: (BoundCredential & { form?: SecretForm; fields?: string[]; or_only_field?: boolean })[];
  refused_version?: number;
}

export async function fakeVault(): Promise<FakeVault> {
  const state = {
    credentials: new Map<string, Record<string, string | string[]>>(),
    types: new Map<string, 'api_key' | 'text' | 'oauth2'>(),
    bound: new Map<string, Set<string>>(),
    signing: new Map<string, string[] | null>(),
    versions: new Map<string, number>(),
    replace: null as FakeVault['replace'],
    refused: [] as string[],
    asked: [] as string[],
    down: false,
  };
  const typeOf = (id: string) => state.types.get(id) ?? 'text';
  const boundOf = (app: string): Set<string> => {
    const known = state.bound.get(app) ?? new Set<string>();
    state.bound.set(app, known);
    return known;
  };
  const connected = (id: string): boolean =>
    typeOf(id) !== 'oauth2' || 'access_token' in (state.credentials.get(id) ?? {});
  const describe = (ids: string[]) =>
    ids.flatMap((id) => {
      const fields = state.credentials.get(id);
      const status = connected(id) ? 'active' : 'pending';
      return fields ? [{ credential_id: id, type: typeOf(id), status, fields: Object.keys(fields) }] : [];
    });
  const resolve = (id: string, app: string | undefined): Answer => {
    const fields = state.credentials.get(id);
    if (!fields) return [{ code: 'credential_not_found', detail: 'none' }, 404];
    if (app !== undefined && !boundOf(app).has(id)) return [{ code: 'not_bound', detail: 'bind it first' }, 403];
    if (!connected(id)) return [{ code: 'not_connected', detail: 'connect it first' }, 409];
    const version = state.versions.get(id);
    const versioned = version === undefined ? {} : { token_version: version };
    return [{ credential_id: id, generation: 1, type: typeOf(id), fields, ...versioned }];
  };
  const replaceRefused = (id: string, version: number | undefined): Answer | null => {
    if (version === undefined) return null;
    state.refused.push(`${id} ${version}`);
    return version === state.versions.get(id) ? (state.replace?.(id) ?? null) : null;
  };
  const weakIn = ({
    credential_id: id,
    form,
    fields = [],
    or_only_field: orOnly,
  }: VaultRequest['credentials'][number]) => {
    const all = Object.entries(state.credentials.get(id) ?? {});
    const named = all.filter(([name]) => fields.includes(name));
    const problems = (named.length === 0 && orOnly && all.length === 1 ? all : named).flatMap(([field, value]) => {
      const [message] = [value].flat().flatMap((one) => secretWeakness(one, form) ?? []);
      return message ? [{ field, message: `cannot protect: it ${message}` }] : [];
    });
    return { credential_id: id, problems };
  };
  const answer = (method: string, path: string, body: VaultRequest): Answer => {
    if (state.down) return [{ code: 'unavailable', detail: 'away' }, 503];
    if (path === '/internal/credentials/describe') return [{ data: describe(body.credential_ids) }];
    if (path === '/internal/credentials/check-keys') return [{ data: body.credentials.map(weakIn) }];
    state.asked.push(`${method} ${path}`);
    if (path === '/internal/credentials/resolve') {
      const failed = replaceRefused(body.credential_id, body.refused_version);
      return failed ?? resolve(body.credential_id, body.consumer?.id);
    }
    if (path === '/internal/bindings') {
      if (!state.credentials.has(body.credential_id)) return [{ code: 'credential_not_found', detail: 'none' }, 404];
      boundOf(body.consumer.id).add(body.credential_id);
      state.signing.set(`${body.consumer.id} ${body.credential_id}`, body.signing);
      return [{}];
    }
    const app = path.split('/').at(-1) ?? '';
    const [known, unknown] = [[] as string[], [] as string[]];
    for (const { credential_id: id, signing } of body.credentials) {
      (state.credentials.has(id) ? known : unknown).push(id);
      state.signing.set(`${app} ${id}`, signing);
    }
    state.bound.set(app, new Set(known));
    return [{ unknown }];
  };
  const server = await httpServer((path, body, response, request) => {
    sendJson(response, ...answer(request.method ?? '', path, body === '' ? null : JSON.parse(body)));
  });
  return Object.assign(state, server);
}
