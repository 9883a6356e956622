import type { InboundRequest, NormalizedMessage } from '#libs/contracts';
import type { AppRow } from '../apps/app.entity.js';
import { isOwnMarker, markersIn } from '../origins/origin-marker.js';

/**
 * The DirectAdapter's `/parse-inbound`: the payload of the built-in Webhook app (spec 2.8) as a normalized message.
 * The payload goes on as it stands, under `metadata.payload`.
 */
export function directParse(app: AppRow, request: InboundRequest): NormalizedMessage {
  const payload: unknown = JSON.parse(bodyText(request));
  const object = isObject(payload) ? payload : {};
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  const task = text(object['task']);
  const isSelf = markersIn(request, payload).some((marker) => isOwnMarker(app, marker));
  const key = headerOf(request, 'idempotency-key') ?? headerOf(request, 'webhook-id');
  const thread = text(object['thread_id']);
  return {
    event_type: text(metadata['event_type']) ?? 'webhook_received',
    sender: text(metadata['source']) ?? 'webhook',
    message: task ?? bodyText(request),
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

/** Fields that steer the platform when an adapter sets them; a sender of JSON may not. */
function withoutReserved(metadata: Record<string, unknown>): Record<string, unknown> {
  const { channel_address: _address, reply_context: _context, is_self: _self, ...rest } = metadata;
  return rest;
}

function bodyText(request: InboundRequest): string {
  return request.body_encoding === 'base64' ? Buffer.from(request.body, 'base64').toString('utf8') : request.body;
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
