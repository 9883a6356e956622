import { type DecodedText, decodeText } from '#libs/charset';
import { type CredentialBinding, leastTrusted } from '#libs/contracts';
import { type Egress, EgressError, type EgressResponse } from '#libs/egress';
import type { BoundCredential, BoundCredentials } from '../bound-credentials.js';
import { type CallSite, exceeds, failure, isFailure, isNamed, noteIn, type ToolFailure } from '../tool.js';
import type { BuiltinWork } from './builtin-library.js';
import { credentialHeader, notSent } from './host-credential.js';

export interface HttpRequestLimits {
  maxResponseBytes: number;
  timeoutMs: number;
}

export interface HttpRequestResult {
  /** What a reader of the answer has to know about the request, in words. */
  note?: string;
  /** Whose answer it is, if it was redirected. */
  url?: string;
  status: number;
  headers: Record<string, string>;
  body: string;
  truncated: boolean;
}

export interface HttpArguments {
  method: string;
  url: string;
  headers?: Record<string, string>;
  query?: Record<string, string | number | boolean>;
  body?: unknown;
  credential?: string;
  timeout_ms?: number;
}

/** The tool `http_request` (spec 4.5), behind the egress guard. Everything but GET counts as writing. */
export function httpRequest(egress: Egress, limits: HttpRequestLimits): BuiltinWork {
  return {
    external: true,
    grade: (args) => (args['method'] === 'GET' ? 'read' : 'write'),
    idempotent: (args) => args['method'] === 'GET',
    elsewhere: (args, hosts) => {
      const { url } = httpArguments(args);
      return URL.canParse(url) && !isNamed(new URL(url), hosts) ? new URL(url).host : null;
    },
    run: (args, { mayDo, signal, turn, hosts }, credentials) => {
      const by = {
        mayDo,
        signal,
        hosts,
        credential: (url: URL, name: string | null) => ofRequest(url, name, turn, credentials),
        bindings: credentials.bindings,
        replaceRefused: async (sent: SentRequest, bound: BoundCredential | null) => {
          const other = bound && (await credentials.replaceRefused(turn, bound));
          if (other === null || isFailure(other)) return other;
          const header = credentialHeader(sent.url, other);
          return isFailure(header) ? header : { ...sent, headers: { ...sent.headers, ...header } };
        },
      };
      return request(egress, limits, httpArguments(args), by);
    },
    trustOf: (result, args, { bindings }) => {
      const { url = httpArguments(args).url } = (result ?? {}) as Partial<HttpRequestResult>;
      const answering = bindings.filter(({ hosts = [] }) => URL.canParse(url) && isNamed(new URL(url), hosts));
      return answering.length === 0 ? 'untrusted' : leastTrusted(...answering.map(({ trust = 'untrusted' }) => trust));
    },
    noted: noteIn,
    // Headers such as a server's clock and ids do not make it a different answer.
    compared: (result) => {
      const { status, body } = (result ?? {}) as Partial<HttpRequestResult>;
      return status === undefined ? result : { status, body };
    },
  };
}

/** The credential that the call names, or the one that its Skill binds to this host; null: none is sent. */
async function ofRequest(
  url: URL,
  name: string | null,
  turn: CallSite['turn'],
  credentials: BoundCredentials,
): Promise<BoundCredential | ToolFailure | null> {
  if (name !== null) return credentials.read(turn, name);
  const bound = credentials.bindings.filter(({ hosts = [] }) => isNamed(url, hosts));
  if (bound.length > 1) {
    const names = bound.map(({ as }) => as).join(', ');
    return failure('no_credential', `Several credentials are bound to ${url.host}, so name one: ${names}.`);
  }
  return bound[0] ? credentials.read(turn, bound[0].as) : null;
}

/** What a request may do and use. */
export interface RequestedBy extends Pick<CallSite, 'mayDo' | 'signal' | 'hosts'> {
  /** The credentials that it could have carried. */
  bindings: readonly CredentialBinding[];
  /** @param name null: the call names none */
  credential(url: URL, name: string | null): Promise<BoundCredential | ToolFailure | null>;
  /** The same request with another access token than the one that was refused; null: there is none. */
  replaceRefused(sent: SentRequest, bound: BoundCredential | null): Promise<SentRequest | ToolFailure | null>;
}

/** What carries a token. */
export interface SentRequest {
  url: URL;
  headers: Record<string, string>;
}

/** One request of a turn, made by the model or by a Python tool that the model called. */
export async function request(
  egress: Egress,
  limits: HttpRequestLimits,
  args: HttpArguments,
  { mayDo, signal, hosts, credential, bindings, replaceRefused }: RequestedBy,
): Promise<HttpRequestResult | ToolFailure> {
  if (exceeds(args.method === 'GET' ? 'read' : 'write', mayDo)) {
    return failure('not_allowed', `Only requests that ${mayDo} are allowed here.`);
  }
  if (!URL.canParse(args.url)) return failure('invalid_url', 'The URL is not absolute.');
  const url = new URL(args.url);
  for (const [name, value] of Object.entries(args.query ?? {})) url.searchParams.append(name, String(value));
  let secret: Record<string, string> = {};
  const bound = await credential(url, args.credential ?? null);
  if (isFailure(bound)) return bound;
  if (bound !== null) {
    const header = credentialHeader(url, bound);
    if (isFailure(header)) return header;
    secret = header;
  }
  // A query can leak data just like a body.
  if (hosts !== null && !isNamed(url, hosts)) {
    const what = `This turn reaches only hosts that its agent names in allowed_hosts, or its Skills bind: not ${url.host}.`;
    return failure('host_not_named', what);
  }
  const isText = typeof args.body === 'string';
  const content: Record<string, string> =
    args.body === undefined || isText ? {} : { 'content-type': 'application/json' };
  const send = (to: SentRequest): Promise<EgressResponse> =>
    egress.fetch(to.url, {
      method: args.method,
      headers: to.headers,
      ...(args.body === undefined ? {} : { body: isText ? (args.body as string) : JSON.stringify(args.body) }),
      // A redirect may lead anywhere. The model sees it and may follow it with another call.
      ...(hosts === null ? {} : { maxRedirects: 0 }),
      timeoutMs: Math.min(args.timeout_ms ?? limits.timeoutMs, 60_000),
      maxResponseBytes: limits.maxResponseBytes,
      signal,
    });
  const sent = { url, headers: { ...content, ...lowerCased(args.headers ?? {}), ...secret } };
  const secrets = Object.values(secret);
  const result = (response: EgressResponse, hidden: string[]): HttpRequestResult => {
    const { body, headers, truncated } = response;
    const read = decodeText(body, { contentType: headers['content-type'], truncated });
    const notes = [noteOf(url, response, bound, bindings, args.headers ?? {}), read?.note ?? null];
    const note = notes.filter((each) => each !== null).join(' ');
    return { ...(note === '' ? {} : { note }), ...resultOf(url, response, read, hidden) };
  };
  try {
    const response = await send(sent);
    // A 401 says that nothing was done, but not one to which a redirect led.
    if (response.status !== 401 || !isSame(url, response.url)) return result(response, secrets);
    const other = await replaceRefused(sent, bound);
    if (other === null) return result(response, secrets);
    if (isFailure(other)) return other;
    const added = Object.keys(secret).flatMap((name) => other.headers[name] ?? []);
    return result(await send(other), [...secrets, ...added]);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!(error instanceof EgressError)) throw error;
    const unknown = error.sent && args.method !== 'GET';
    return unknown
      ? failure(
          'outcome_unknown',
          `The request was sent and gave no answer (${error.code}): it may have had its effect.`,
        )
      : failure(error.code, 'The request gave no answer.');
  }
}

/** Says what the answer itself does not show: that the request went without a credential, all of it or its last part. */
function noteOf(
  url: URL,
  response: EgressResponse,
  bound: BoundCredential | null,
  bindings: readonly CredentialBinding[],
  headers: Record<string, string>,
): string | null {
  if (bound !== null) {
    const { origin, host } = new URL(response.url);
    return origin === url.origin ? null : `The request was redirected to ${host}, without the credential ${bound.as}.`;
  }
  if (bindings.length === 0 || 'authorization' in lowerCased(headers)) return null;
  return notSent(url, bindings);
}

function isSame(asked: URL, answered: string): boolean {
  const url = new URL(answered);
  return url.origin === asked.origin && url.pathname === asked.pathname && url.search === asked.search;
}

/** Arguments that passed the schema of `http_request`, which is defined in the contracts. */
export function httpArguments(args: Record<string, unknown>): HttpArguments {
  return { ...args, method: String(args['method']), url: String(args['url']) };
}

function resultOf(
  asked: URL,
  response: EgressResponse,
  read: DecodedText | null,
  secrets: string[],
): HttpRequestResult {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    // A session cookie is the other side's secret. It is of no use to a model and does not belong in a stored step.
    if (name !== 'set-cookie') headers[name] = withoutSecrets(Array.isArray(value) ? value.join(', ') : value, secrets);
  }
  const { status, truncated } = response;
  const text = read?.text ?? `[${response.body.length} bytes that are not text]`;
  const redirected = new URL(response.url).origin === asked.origin ? {} : { url: response.url };
  return { ...redirected, status, headers, body: withoutSecrets(text, secrets), truncated };
}

/** Some servers echo what they were sent, especially in errors. */
function withoutSecrets(text: string, secrets: string[]): string {
  const parts = secrets.flatMap((secret) => [secret, secret.slice(secret.indexOf(' ') + 1)]);
  return parts.reduce((rest, part) => (part.length < 4 ? rest : rest.replaceAll(part, '[credential]')), text);
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
