import { formOf, parseKeepingNumbers, RequestValues, wholeNumberAsText } from '#libs/adapter-sdk';
import type { DirectApp, InboundRequest, NormalizedMessage } from '#libs/contracts';
import { PermanentFailure } from '#libs/queue';
import { type ReadEvent, readEvents } from '#libs/webhook-senders';
import { isOwnMarker, type Marked, markersIn } from './origin-marker.js';

/** As in an answer of `/parse-inbound`. */
const maxEvents = 1_000;

/**
 * The DirectAdapter's `/parse-inbound`: the payload of the built-in Webhook app (spec 2.8) as normalized messages, one
 * for each event in it. What the App's reading finds counts before the fields of the contract. The whole payload is
 * passed on as `metadata.payload`; a number that a double would change becomes its digits as text.
 * @throws PermanentFailure `invalid_json`, `too_many_events`
 */
export function directParse(app: DirectApp & Marked, request: InboundRequest): NormalizedMessage[] {
  const body = withoutSecret(app, request);
  const form = formOf(Buffer.from(body), headerOf(request, 'content-type') ?? '');
  const payload = form ?? (body.trim() === '' ? null : payloadOf(body));
  const events =
    app.reading === null ? [nothingRead] : readEvents(app.reading, { ...receivedOf(request), body: Buffer.from(body) });
  if (events.length > maxEvents) {
    throw new PermanentFailure(
      'too_many_events',
      `the body has ${events.length} events: at most ${maxEvents} are taken`,
    );
  }
  const whole = form ? JSON.stringify(form) : body;
  return events.map((event, index) => {
    const key = event.dedup_key ?? keyOf(request, events.length > 1 ? `#${index}` : '');
    return 'item' in event
      ? messageOf(app, request, event, event.item, JSON.stringify(event.item) ?? '', key)
      : messageOf(app, request, event, payload, whole, key);
  });
}

const nothingRead: ReadEvent = { event_type: null, dedup_key: null, sender: null, text: null };

function messageOf(
  app: DirectApp & Marked,
  request: InboundRequest,
  event: ReadEvent,
  payload: unknown,
  whole: string,
  key: string | null,
): NormalizedMessage {
  const object = isObject(payload) ? payload : {};
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  // The message is what was read, the payload's task, or its text, or the whole payload.
  const message = event.text ?? text(object['task']) ?? text(object['text']) ?? whole;
  const isSelf = markersIn(request, payload).some((marker) => isOwnMarker(app, marker));
  const thread = text(wholeNumberAsText(object['thread_id']));
  return {
    event_type: event.event_type ?? text(metadata['event_type']) ?? 'webhook_received',
    sender: event.sender ?? text(metadata['source']) ?? app.sender ?? 'webhook',
    message,
    is_bot: isSelf,
    metadata: {
      ...withoutReserved(metadata),
      ...(isSelf ? { is_self: true } : {}),
      payload,
    },
    ...(typeof object['workflow_id'] === 'number' ? { workflow_id: object['workflow_id'] } : {}),
    ...(key ? { dedup_key: `webhook:${key}` } : {}),
    ...(thread ? { thread_id: thread } : {}),
  };
}

/** The key of a request is one for all its events. */
function keyOf(request: InboundRequest, event: string): string | null {
  const key = headerOf(request, 'idempotency-key') ?? headerOf(request, 'webhook-id');
  return key === null ? null : `${key}${event}`;
}

function receivedOf({ method, url, headers }: InboundRequest) {
  return { method, url, headers };
}

/** The body as text. A shared secret that a sender puts into it is for nobody who reads the message. */
function withoutSecret(app: DirectApp & Marked, request: InboundRequest): string {
  const body = bodyText(request);
  const { scheme, pointer } = app.signature ?? {};
  if (scheme !== 'secret' || pointer === undefined) return body;
  const secret = new RequestValues({ ...receivedOf(request), body: Buffer.from(body) }).text(pointer);
  return secret ? body.replaceAll(secret, '[secret]') : body;
}

/** Drops fields that steer the platform: an adapter may set them, a sender of JSON may not. */
function withoutReserved(metadata: Record<string, unknown>): Record<string, unknown> {
  const { channel_address: _address, reply_context: _context, is_self: _self, ...rest } = metadata;
  return rest;
}

/**
 * The body as text, without a byte order mark: some systems put one before JSON, and parsers may ignore it (RFC 8259,
 * 8.1).
 */
function bodyText({ body, body_encoding: encoding }: InboundRequest): string {
  const text = encoding === 'base64' ? Buffer.from(body, 'base64').toString('utf8') : body;
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function payloadOf(body: string): unknown {
  try {
    return parseKeepingNumbers(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new PermanentFailure('invalid_json', 'the body is not valid JSON in UTF-8');
  }
}

function headerOf(request: InboundRequest, name: string): string | null {
  const value = request.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
