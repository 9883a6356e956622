import type { CallContext, Credentials, Self } from './call-context.js';
import type { HeaderMap } from './header-lookup.js';
import { InvalidRequest } from './invalid-request.js';
import { isJsonObject, stringifyJson, type JsonObject } from './json-value.js';

/** The body of `/verify-webhook` and `/parse-inbound`. `headers`, `body` and `payload` may be at the top level. */
export interface Envelope {
  credentials?: Credentials;
  request?: EnvelopeRequest;
  /** RFC 3339; time windows are measured from it, so that verification may also run later, from a queue. */
  received_at?: string;
  self?: Self;
  headers?: HeaderMap;
  body?: unknown;
  payload?: unknown;
}

export interface EnvelopeRequest {
  method?: string;
  url?: string;
  path?: string;
  query?: Record<string, string | string[]>;
  headers?: HeaderMap;
  /** The exact bytes: text when they are valid UTF-8, else base64. */
  body?: string;
  body_encoding?: 'utf8' | 'base64';
}

/** What a handler receives: the webhook as its sender sent it. */
export interface InboundCall {
  credentials: Credentials;
  request: {
    method: string;
    url: string;
    path: string;
    query: Record<string, unknown>;
    headers: HeaderMap;
    body: Buffer;
    /** The body as UTF-8 text. */
    text: string;
    /** False when the caller sent only a parsed payload: its bytes are unknown, so no signature can be verified. */
    exactBody: boolean;
  };
  receivedAt: Date;
  self: Self | undefined;
  context: CallContext;
}

/**
 * Reads either form of the envelope; unknown fields are ignored. Throws InvalidRequest for a field of the wrong type.
 */
export function readEnvelope(body: JsonObject, context: CallContext): InboundCall {
  const request = optionalObject(body, 'request');
  const bytes = readBody(request ?? body, body);
  return {
    credentials: optionalObject(body, 'credentials') ?? {},
    request: {
      method: text(request?.method, 'POST'),
      url: text(request?.url, ''),
      path: text(request?.path, ''),
      query: isJsonObject(request?.query) ? request.query : {},
      headers: readHeaders(request?.headers ?? body.headers),
      body: bytes.body,
      text: bytes.body.toString('utf8'),
      exactBody: bytes.exact,
    },
    receivedAt: readTime(body.received_at),
    self: isJsonObject(body.self) ? body.self : undefined,
    context,
  };
}

function readBody(source: JsonObject, flat: JsonObject): { body: Buffer; exact: boolean } {
  const raw = source.body ?? flat.body;
  if (typeof raw === 'string') {
    const encoding = (source.body_encoding ?? flat.body_encoding) === 'base64' ? 'base64' : 'utf8';
    return { body: Buffer.from(raw, encoding), exact: true };
  }
  const parsed = raw ?? source.payload ?? flat.payload;
  if (parsed === undefined || parsed === null) return { body: Buffer.alloc(0), exact: true };
  const serialised = typeof parsed === 'string' ? parsed : stringifyJson(parsed);
  if (serialised === undefined) throw new InvalidRequest('the payload is nested too deeply');
  return { body: Buffer.from(serialised, 'utf8'), exact: false };
}

function readHeaders(value: unknown): HeaderMap {
  if (!isJsonObject(value)) return {};
  const entries = Object.entries(value).map(([name, header]): [string, string[]] => {
    const values: unknown[] = Array.isArray(header) ? header : [header];
    return [name.toLowerCase(), values.filter((entry) => entry !== null && typeof entry !== 'object').map(String)];
  });
  return Object.fromEntries(entries);
}

function readTime(value: unknown): Date {
  const time = typeof value === 'string' ? new Date(value) : new Date();
  return Number.isNaN(time.getTime()) ? new Date() : time;
}

function optionalObject(source: JsonObject, name: string): JsonObject | undefined {
  const value = source[name];
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw new InvalidRequest(`${name} must be an object`);
  return value;
}

function text(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}
