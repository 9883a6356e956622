import { inMessage, recordSpan } from '#libs/telemetry';
import { Logger } from '@nestjs/common';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import {
  type BodyLimits,
  type BodyOwner,
  browserHeaders,
  bodyTooLarge,
  IncomingBodies,
  leavesUnread,
  type Metrics,
  Problem,
  type ServiceTokens,
  untilBodyEnds,
} from '#libs/service-kit';
import { announcedBytesHeader, bodyRoomHeader, type Endpoint, probeHeader } from '#libs/contracts';
import type { AnswerCounts } from '../answers/answer-counts.js';
import { type EndpointService } from '../endpoints/endpoint.service.js';
import type { RefusalLog } from '../refusals/refusal-log.js';
import { codingsOf, decompressed } from './decompressed.js';
import { ClientAddress, isProbe, RateLimiter } from './admission.js';
import { type Answer, asRefused, type Incoming, Refused, unknownPath } from '../request/incoming.js';
import type { WebhookService } from './webhook.service.js';

export interface ReceiverSettings {
  endpointRatePerSecond: number;
  addressRatePerSecond: number;
  unknownTokenRatePerMinute: number;
  /** Logs a line for each message, at the level debug. */
  logsRequests: boolean;
  /** Addresses of proxies whose X-Forwarded-For is trusted. */
  trustedProxies: string[];
  bodies: BodyLimits;
  /** Content codings of a body, one over the other. */
  maxCodings: number;
}

export interface ReceiverParts {
  endpoints: EndpointService;
  webhooks: WebhookService;
  refusals: RefusalLog;
  metrics: Metrics;
  tokens: ServiceTokens;
  counts: AnswerCounts;
}

const prefix = '/api/v1/webhooks/';

/**
 * The public endpoint, directly on the HTTP server: Fastify and Nest would cost a third of the throughput, and a body
 * must not be parsed before its signature is checked on the raw bytes.
 */
export class WebhookReceiver {
  private readonly logger = new Logger('webhook');
  /** Looked up once, because every request needs it. */
  private readonly debugs: boolean;
  private readonly limits: Record<'endpoint' | 'address' | 'unknown', RateLimiter>;
  private readonly addresses: ClientAddress;
  private readonly bodies: IncomingBodies;
  private readonly maxCodings: number;

  constructor(
    private readonly server: Server,
    private readonly parts: ReceiverParts,
    settings: ReceiverSettings,
  ) {
    this.limits = {
      endpoint: new RateLimiter({
        code: 'rate_limited',
        name: 'ENDPOINT_RATE_PER_SECOND',
        of: 'endpoint',
        what: 'Too many requests for this webhook URL',
        most: settings.endpointRatePerSecond,
        windowMs: 1_000,
      }),
      address: new RateLimiter({
        code: 'address_rate_limited',
        name: 'ADDRESS_RATE_PER_SECOND',
        of: 'address',
        what: 'Too many webhook requests from this address',
        most: settings.addressRatePerSecond,
        windowMs: 1_000,
      }),
      unknown: new RateLimiter({
        code: 'rate_limited',
        name: 'UNKNOWN_TOKEN_RATE_PER_MINUTE',
        of: 'address',
        what: 'Too many requests from this address for webhook URLs that do not exist',
        most: settings.unknownTokenRatePerMinute,
        windowMs: 60_000,
      }),
    };
    this.debugs = settings.logsRequests;
    this.bodies = new IncomingBodies(settings.bodies);
    this.maxCodings = settings.maxCodings;
    this.addresses = new ClientAddress(parts.tokens, settings.trustedProxies);
  }

  /** Takes webhook requests ahead of the server's other listeners, which get the rest. */
  listen(): void {
    const others = this.server.listeners('request') as RequestListener[];
    this.server.removeAllListeners('request');
    this.server.on('request', (request, response) => {
      if (request.url?.startsWith(prefix)) void this.answer(request, response);
      else for (const listener of others) listener.call(this.server, request, response);
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    // A service that stops closes idle connections; this one becomes idle only after its answer.
    if (!this.server.listening) response.setHeader('connection', 'close');
    const subject: Subject = { endpoint: null, incoming: null };
    let answered = false;
    let eventId: string | undefined;
    try {
      const { status, headers, body, event_id } = await this.receive(request, response, subject);
      eventId = event_id;
      headers['content-length'] = Buffer.byteLength(body);
      // It may be shown at the address of the console, and an App says what is in it.
      response.writeHead(status, { ...browserHeaders, ...headers }).end(body);
      answered =
        subject.incoming?.method === 'POST' && !subject.incoming.probe && headers[bodyRoomHeader] === undefined;
    } catch (error) {
      const refused = error instanceof Refused ? error : this.unavailable(error);
      const { endpoint, incoming } = subject;
      if (endpoint && incoming && !incoming.probe) {
        this.parts.refusals.record(endpoint, incoming, refused);
      }
      if (endpoint && !incoming?.probe) this.parts.counts.refused(endpoint, refused.code);
      refuse(request, response, refused);
    }
    const tookMs = performance.now() - startedAt;
    if (answered && subject.endpoint) this.parts.counts.answered(subject.endpoint, tookMs);
    if (eventId !== undefined && subject.endpoint) this.follow(subject.endpoint, eventId, tookMs);
    const labels = { route: `${prefix}:token`, method: request.method ?? '', status: response.statusCode };
    this.parts.metrics.httpSeconds.observe(labels, tookMs / 1000);
  }

  private async receive(request: IncomingMessage, response: ServerResponse, subject: Subject): Promise<Answer> {
    const { endpoints, webhooks, tokens } = this.parts;
    const nowMs = Date.now();
    const named = this.addresses.of(request);
    const remoteAddress = typeof named === 'string' ? named : await named;
    const url = request.url ?? '';
    const token = tokenOf(url);
    const announced = request.headers[announcedBytesHeader];
    const incoming: Incoming = {
      method: announced === undefined ? methodOf(request) : 'POST',
      url,
      token: token ?? '',
      headers: request.headers,
      body: noBody,
      compressed: null,
      remoteAddress,
      probe: false,
    };
    let found = token === null ? null : endpoints.known(token);
    // Before any limit: those who own the App learn that its senders reach one.
    if (found !== null && found !== 'retired') Object.assign(subject, { endpoint: found.endpoint, incoming });
    this.limits.address.take(remoteAddress, nowMs);
    if (found === null) {
      // Before the gateway is asked: a client that guesses tokens is limited without a lookup.
      this.limits.unknown.take(remoteAddress, nowMs);
      found = token === null ? null : await endpoints.find(token);
    }
    if (found === 'retired') throw new Refused(410, 'token_retired', 'This webhook URL was retired: use the new one.');
    if (found === null || token === null) throw unknownPath;
    const { endpoint } = found;
    const { method } = incoming;
    Object.assign(subject, { endpoint, incoming });
    if (announced === undefined) this.limits.endpoint.take(endpoint.app_id, nowMs);
    if (method !== 'POST' && method !== 'GET') {
      throw new Refused(405, 'method_not_allowed', 'Send POST.', { allow: 'POST' });
    }
    const mark = request.headers[probeHeader];
    if (mark !== undefined) {
      delete request.headers[probeHeader];
      incoming.probe = await isProbe(tokens, String(mark), endpoint);
    }
    const { max_body_bytes: maxBytes } = endpoint;
    if (announced !== undefined) {
      if (Number(announced) > maxBytes) throw asRefused(bodyTooLarge(maxBytes));
      return { status: 200, headers: { [bodyRoomHeader]: maxBytes }, body: '' };
    }
    if (method === 'POST') {
      const owner = { maxBytes, address: remoteAddress, target: endpoint.app_id };
      const codings = codingsOf(request.headers['content-encoding'], this.maxCodings);
      incoming.body = await this.bodies.read(request, response, owner).catch(throwRefused);
      // Some clients name a coding with every request, even with one without a body.
      if (codings.length > 0 && incoming.body.length > 0) await this.decompress(incoming, codings, owner, response);
    }
    try {
      return await webhooks.receive(endpoint, incoming);
    } catch (error) {
      // The App has let go of its secret, and this replica has not heard of that yet.
      if (!(error instanceof Problem) || error.code !== 'not_bound') throw error;
      await endpoints.pullAfterNow();
      const changed = endpoints.get(endpoint.app_id);
      if (changed === null || changed === endpoint) throw error;
      subject.endpoint = changed;
      return webhooks.receive(changed, incoming);
    }
  }

  /** Everything but a signature sees the body as it was before it was compressed, and so do the headers. */
  private async decompress(incoming: Incoming, codings: string[], owner: BodyOwner, response: ServerResponse) {
    const hold = this.bodies.holder(owner, response);
    const body = await decompressed(incoming.body, codings, owner.maxBytes, hold).catch(throwRefused);
    incoming.compressed = incoming.body;
    incoming.body = body;
    delete incoming.headers['content-encoding'];
    if (incoming.headers['content-length'] !== undefined) incoming.headers['content-length'] = String(body.length);
  }

  /**
   * Records the first log line and span of a message. A trace context from the sender is not trusted, and is ignored.
   */
  private follow(endpoint: Endpoint, eventId: string, tookMs: number): void {
    const { organization_id: organizationId, app_id } = endpoint;
    recordSpan('webhook', eventId, tookMs, { 'gatehouse.app_id': app_id, 'gatehouse.organization_id': organizationId });
    if (this.debugs) {
      const line = { event: 'webhook.accepted', app_id, duration_ms: Math.round(tookMs) };
      inMessage({ eventId, organizationId }, undefined, () => this.logger.debug(line));
    }
  }

  private unavailable(error: unknown): Refused {
    this.logger.error({ event: 'webhook.unavailable', error: error instanceof Error ? error.message : String(error) });
    return new Refused(503, 'unavailable', 'The request was not stored: send it again.', { 'retry-after': '2' });
  }
}

/** Whose request it is, as far as it is known when it fails. */
interface Subject {
  endpoint: Endpoint | null;
  incoming: Incoming | null;
}

const noBody = Buffer.alloc(0);

function throwRefused(error: unknown): never {
  throw error instanceof Problem ? asRefused(error) : error;
}

function methodOf({ method = '' }: IncomingMessage): string {
  return method === 'HEAD' ? 'GET' : method;
}

/** @returns null unless the path is a single segment */
function tokenOf(url: string): string | null {
  const question = url.indexOf('?');
  const token = url.slice(prefix.length, question < 0 ? undefined : question);
  return token === '' || token.includes('/') ? null : token;
}

/** Answers a request whose body may still be arriving. */
function refuse(request: IncomingMessage, response: ServerResponse, refused: Refused): void {
  const text = JSON.stringify({ error: refused.code, message: refused.detail, limit: refused.limit });
  const unread = leavesUnread(request);
  response.writeHead(refused.status, {
    ...refused.headers,
    ...browserHeaders,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...(unread ? { connection: 'close' } : {}),
    ...(request.headers[announcedBytesHeader] === undefined ? {} : { [bodyRoomHeader]: 0 }),
  });
  if (unread || (refused.headers['connection'] === 'close' && !request.complete)) {
    untilBodyEnds(request, text).pipe(response);
  } else {
    response.end(text);
  }
}
