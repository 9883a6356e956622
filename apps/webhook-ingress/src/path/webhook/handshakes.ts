import { secretWeakness } from '#libs/adapter-sdk';
import {
  type DeclaredHandshake,
  type Endpoint,
  type HandshakeResponse,
  type HandshakeResult,
  type MappedCredentials,
  type RequestPlace,
  scopeOf,
} from '#libs/contracts';
import type { ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { GATEWAY, type IngressSettings, SETTINGS } from '../../env.js';
import { inboundRequest, PublicAddress } from '../receipts/receipt-job.js';
import { receiptOf } from '../receipts/receipt.repository.js';
import { type Answer, type Incoming, one, Refused } from '../request/incoming.js';
import { Secrets } from './verify-signature.js';

type HandshakeSettings = Pick<IngressSettings, 'HANDSHAKE_TIMEOUT_MS' | 'HANDSHAKE_MAX_BODY_BYTES'>;

const maxValueLength = 4_096;
const textType = 'text/plain; charset=utf-8';
const jsonType = 'application/json';

/** Names of headers and query parameters: X-Hook-Secret, Validation-Token, validationToken, hub.challenge, crc_token. */
const nameForm = /challenge|validation|handshake|hook-?secret|crc_token/i;
/** A body without any of these is no handshake, and is not even parsed. */
const bodyHints = ['hallenge', 'alidation', 'erification', 'lainToken', 'lain_token', 'application_id'];
/** `challenge` (Slack, monday.com, Twitch), `validationCode` (Event Grid), `verification_token` (Notion), `plainToken` (Zoom). */
const fieldForm = /^((hub|webhook|url)[._-]?)?challenge$|^(validation|verification)_?(code|token)$|^plain_?token$/i;
/** `url_verification`, `endpoint.url_validation`, `Microsoft.EventGrid.SubscriptionValidationEvent`. */
const kindForm = /(url|endpoint|webhook|callback|subscription)[._-]?(verification|validation)/i;
const kindFields = ['type', 'event', 'event_type', 'eventType'];

/** Answers handshakes: declared ones from the manifest, others through their App's adapter. */
@Injectable()
export class Handshakes {
  private readonly logger = new Logger('handshake');

  constructor(
    private readonly secrets: Secrets,
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
    private readonly at: PublicAddress,
    @Inject(SETTINGS) private readonly settings: HandshakeSettings,
  ) {}

  /**
   * Answers a GET, which is never a message. It has nothing to sign, so the adapter is asked without verification.
   * @throws Refused 403, 405, 503; any error of the adapter, which becomes a 503
   */
  async answerGet(endpoint: Endpoint, incoming: Incoming): Promise<Answer> {
    const request = requestOf(incoming);
    const { handshake } = endpoint;
    const declared =
      handshake && isDeclared(handshake, request) ? await this.declaredAnswer(endpoint, handshake, request) : null;
    if (declared) return declared;
    const asked = endpoint.kind === 'adapter' ? await this.ask(endpoint, incoming, false, false) : null;
    if (asked?.answer) return asked.answer;
    throw new Refused(405, 'method_not_allowed', 'Send POST.', { allow: 'POST' });
  }

  /** Whether a POST may be a handshake, decided without asking anybody; otherwise it is a message. */
  mayBe({ handshake, adapter_handshake: asksAdapter }: Endpoint, incoming: Incoming): boolean {
    if (incoming.body.length > this.settings.HANDSHAKE_MAX_BODY_BYTES) return false;
    if (handshake?.method === 'POST') return isDeclared(handshake, requestOf(incoming));
    return asksAdapter && looksLikeHandshake(incoming);
  }

  /**
   * Answers a POST that may be a handshake, once this service or the adapter has accepted its signature.
   * @param verified this service has checked its signature, or there is none to check
   * @returns null when it is a message, or when the adapter cannot tell: it is then stored, and parsed when the adapter
   * can
   * @throws Refused 401 when the adapter does not accept it, 403, 503
   */
  async answerPost(endpoint: Endpoint, incoming: Incoming, verified: boolean): Promise<Answer | null> {
    const { handshake } = endpoint;
    const declared = handshake?.method === 'POST' && handshake.respond !== 'adapter' ? handshake : null;
    const asked =
      declared && verified ? { answer: null } : await this.tryAdapter(endpoint, incoming, verified, declared !== null);
    if (asked?.refused) throw notAccepted(asked.refused.error);
    if (!asked || !declared) return asked?.answer ?? null;
    return this.declaredAnswer(endpoint, declared, requestOf(incoming));
  }

  private async declaredAnswer(
    endpoint: Endpoint,
    declared: NonNullable<Endpoint['handshake']>,
    request: HandshakeRequest,
  ): Promise<Answer | null> {
    const answerWith = (fields: MappedCredentials) =>
      handshakeAnswer(declared, request, (field) => secretOf(fields[field]));
    return handshakeFields(declared).length > 0 ? this.secrets.checked(endpoint, answerWith) : answerWith({});
  }

  private async tryAdapter(
    endpoint: Endpoint,
    incoming: Incoming,
    verified: boolean,
    declared: boolean,
  ): Promise<HandshakeResult | null> {
    try {
      return await this.ask(endpoint, incoming, verified, declared);
    } catch (error) {
      this.logger.warn({ event: 'handshake.not_asked', app: endpoint.app_id, error: String(error) });
      return null;
    }
  }

  /** @param declared the adapter only has to accept the request, not to supply the answer */
  private async ask(
    endpoint: Endpoint,
    incoming: Incoming,
    verified: boolean,
    declared: boolean,
  ): Promise<HandshakeResult> {
    const asked = this.gateway.post<HandshakeResult>(`/internal/apps/${endpoint.app_id}/handshake`, scopeOf(endpoint), {
      request: inboundRequest(receiptOf(endpoint, incoming, null), this.at),
      received_at: new Date().toISOString(),
      verified,
      declared,
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const giveUp = (): void => reject(new Error('the adapter did not answer in time'));
      timer = setTimeout(giveUp, this.settings.HANDSHAKE_TIMEOUT_MS);
    });
    try {
      return await Promise.race([asked, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function requestOf({ method, url, headers, body }: Incoming): HandshakeRequest {
  const question = url.indexOf('?');
  return { method, headers, body, query: new URLSearchParams(question < 0 ? '' : url.slice(question)) };
}

/** The sender sees only a code of the contract, not the adapter's own text. */
function notAccepted(error: string): Refused {
  const code = /^[a-z_]{1,50}$/.test(error) ? error : 'refused';
  return new Refused(401, code, "The App's adapter did not accept this request.");
}

/** The first of several secrets that are valid during a rotation; null when there is none. */
function secretOf(value: MappedCredentials[string] | undefined): string | null {
  const [first] = [value].flat();
  return typeof first === 'string' ? first : null;
}

/** The parts of a request that may make it a handshake. */
interface HandshakeRequest {
  method: string;
  query: URLSearchParams;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Credential fields that a declared handshake needs. */
function handshakeFields({ verify_token: token, respond }: DeclaredHandshake): string[] {
  const signs = respond === 'adapter' ? undefined : respond.hmac?.field;
  return [token?.field, signs].filter((field) => field !== undefined);
}

/** Whether a request is the declared handshake. */
function isDeclared({ method, match }: DeclaredHandshake, request: HandshakeRequest): boolean {
  if (request.method !== method) return false;
  const marker = valueAt(match, request);
  return marker !== null && (match.equals === undefined || marker === match.equals);
}

/**
 * The answer to a request that is the declared handshake; null when it lacks the value to answer with, or when the
 * adapter has to answer.
 * @param secretOf the value of a credential field, null when it is not set
 * @throws Refused 403 `wrong_verify_token`, 503 `not_configured`, `weak_secret`
 */
function handshakeAnswer(
  declared: DeclaredHandshake,
  request: HandshakeRequest,
  secretOf: (field: string) => string | null,
): Answer | null {
  const { verify_token: wanted, respond } = declared;
  if (wanted && !same(request.query.get(wanted.query), secretOf(wanted.field))) {
    throw new Refused(403, 'wrong_verify_token', 'The verify token does not match the one that is set here.');
  }
  if (respond === 'adapter') return null;
  const { status = 200 } = respond;
  // The value comes from the request: no browser may render it as a page.
  const answer = (type: string, body: string, headers: Answer['headers'] = {}): Answer => ({
    status,
    headers: { ...headers, 'content-type': type, 'x-content-type-options': 'nosniff' },
    body,
  });
  if (respond.fixed !== undefined) return answer(respond.fixed.startsWith('{') ? jsonType : textType, respond.fixed);
  const challenge = valueAt(respond, request);
  if (challenge === null || challenge.length > maxValueLength) return null;
  const value = respond.hmac ? signed(respond.hmac, challenge, secretOf(respond.hmac.field)) : challenge;
  if (respond.as_header !== undefined) return answer(textType, '', { [respond.as_header]: value });
  if (respond.as === undefined) return answer(textType, value);
  const echoed = respond.echo_as === undefined ? {} : { [respond.echo_as]: challenge };
  return answer(jsonType, JSON.stringify({ ...echoed, [respond.as]: value }));
}

function valueAt({ query, header, pointer }: RequestPlace, request: HandshakeRequest): string | null {
  if (query !== undefined) return request.query.get(query);
  if (header !== undefined) return one(request.headers[header]) ?? null;
  return pointer === undefined ? null : atPointer(json(request.body.toString('utf8')), pointer);
}

function signed(hmac: NonNullable<HandshakeResponse['hmac']>, challenge: string, secret: string | null): string {
  if (!secret) {
    const detail = `The credential has no ${hmac.field} to answer the challenge with.`;
    throw new Refused(503, 'not_configured', detail, { 'retry-after': '60' });
  }
  if (secretWeakness(secret) !== null) {
    const detail = `The ${hmac.field} to answer the challenge with cannot protect.`;
    throw new Refused(503, 'weak_secret', detail, { 'retry-after': '60' });
  }
  const { algorithm = 'sha256', encoding = 'base64', prefix = '' } = hmac;
  return `${prefix}${createHmac(algorithm, secret).update(challenge).digest(encoding)}`;
}

/** A string or number at a JSON pointer (RFC 6901), or null. */
function atPointer(value: unknown, pointer: string): string | null {
  let current = value;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return null;
    current = (current as Record<string, unknown>)[key];
  }
  return typeof current === 'string' || typeof current === 'number' ? String(current) : null;
}

function same(given: string | null, wanted: string | null): boolean {
  // A blank token is none: a request that leaves it blank too must not match.
  if (given === null || wanted === null || wanted.trim() === '') return false;
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Whether a POST may be a provider's handshake, decided from the request alone, so that messages are acknowledged at
 * once, however slow the adapter is. A message may look like one too; then only its acknowledgement is delayed.
 */
export function looksLikeHandshake({ url, headers, body }: Pick<Incoming, 'url' | 'headers' | 'body'>): boolean {
  for (const name in headers) if (nameForm.test(name)) return true;
  const question = url.indexOf('?');
  if (question >= 0) {
    for (const name of new URLSearchParams(url.slice(question)).keys()) if (nameForm.test(name)) return true;
  }
  return bodyHints.some((hint) => body.includes(hint)) && saysHandshake(body.toString('utf8'));
}

function saysHandshake(text: string): boolean {
  const parsed = json(text);
  // Event Grid sends lists.
  const event: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isObject(event)) return false;
  if (hasField(event) || Object.values(event).some((value) => isObject(value) && hasField(value))) return true;
  const kinds = kindFields.map((name) => event[name]).filter((value) => typeof value === 'string');
  if (kinds.some((value) => kindForm.test(value))) return true;
  // Discord's PING.
  return event['type'] === 1 && 'application_id' in event;
}

function hasField(value: object): boolean {
  return Object.keys(value).some((name) => fieldForm.test(name));
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
