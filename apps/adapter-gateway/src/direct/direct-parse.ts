import { parseKeepingNumbers, wholeNumberAsText } from '#libs/adapter-sdk';
import type { InboundRequest, NormalizedMessage } from '#libs/contracts';
import { PermanentFailure } from '#libs/queue';
import type { AppRow } from '../entities/app.entity.js';
import { isOwnMarker, markersIn } from '../origins/origin-marker.js';

/**
 * The DirectAdapter's `/parse-inbound`: the payload of the built-in Webhook app (spec 2.8) as a normalized message. The
 * whole payload is passed on as `metadata.payload`; a number that a double would change becomes its digits as text.
 * @throws PermanentFailure `invalid_json`
 */
export function directParse(app: AppRow, request: InboundRequest): NormalizedMessage {
  const body = bodyText(request);
  const payload = payloadOf(body);
  const object = isObject(payload) ? payload : {};
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  // The message is the payload's task, or its text, or the whole payload.
  const message = text(object['task']) ?? text(object['text']) ?? body;
  const isSelf = markersIn(request, payload).some((marker) => isOwnMarker(app, marker));
  const key = headerOf(request, 'idempotency-key') ?? headerOf(request, 'webhook-id');
  const thread = text(wholeNumberAsText(object['thread_id']));
  return {
    event_type: text(metadata['event_type']) ?? 'webhook_received',
    sender: text(metadata['source']) ?? 'webhook',
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
