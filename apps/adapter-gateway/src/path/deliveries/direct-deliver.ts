import {
  type Credentials,
  type DeliverError,
  deliverErrorOfStatus,
  deliverFailure,
  type DeliverResponse,
  signHmac,
  signStandardWebhooks,
} from '#libs/adapter-sdk';
import { originField, originHeader, originMarker } from '#libs/direct-app';
import { type Egress, EgressError } from '#libs/egress';
import { inSpan } from '#libs/telemetry';
import { readRetryAfter } from '../adapters/adapter-answer.js';
import type { AppRow } from '../../entities/app.entity.js';
import type { DeliveryRow } from '../../entities/delivery.entity.js';

/**
 * The DirectAdapter's `/deliver`: posts the reply as JSON to the channel's address. It is signed when a signing secret
 * is set. The delivery id is its `Idempotency-Key`, the same in every attempt.
 */
export async function directDeliver(
  egress: Egress,
  app: AppRow,
  credentials: Credentials,
  delivery: DeliveryRow,
  timeoutMs: number,
): Promise<DeliverResponse> {
  const { text, target, edit_of, actions, reaction } = delivery.content;
  const body = JSON.stringify({
    text,
    ...(edit_of === undefined ? {} : { edit_of }),
    ...(actions === undefined ? {} : { actions }),
    ...(reaction === undefined ? {} : { reaction }),
    thread_id: target.thread_id ?? '',
    in_reply_to: delivery.receipt_id,
    delivery_id: delivery.id,
    reply_context: target.reply_context ?? null,
    [originField]: originMarker(app, delivery.id),
  });
  try {
    // No `traceparent` goes out: the receiver has no part in our traces.
    const answer = await inSpan('POST reply_address', 'client', {}, () =>
      egress.fetch(target.channel_address ?? '', {
        method: 'POST',
        headers: headersOf(app, credentials, delivery, body),
        body,
        timeoutMs,
        maxResponseBytes: 65_536,
        maxRedirects: 0,
      }),
    );
    return outcomeOf(answer.status, answer.headers['retry-after'], delivery);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return deliverFailure(codeOfEgress(error), `${target.channel_address}: ${error.message}`, {
      retryable: !permanent(error),
    });
  }
}

function headersOf(app: AppRow, credentials: Credentials, delivery: DeliveryRow, body: string): Record<string, string> {
  const secrets = [credentials['signing_secret'], credentials['signing_secret_next']].filter(
    (secret): secret is string => typeof secret === 'string' && secret !== '',
  );
  const {
    header = 'x-signature-256',
    algorithm = 'sha256',
    encoding = 'hex',
    prefix = 'sha256=',
  } = app.signature?.scheme === 'hmac' ? app.signature : {};
  const [secret] = secrets;
  return {
    'content-type': 'application/json',
    'idempotency-key': delivery.id,
    [originHeader]: originMarker(app, delivery.id),
    ...(secret ? { [header]: `${prefix}${signHmac(secret, body, { algorithm, encoding })}` } : {}),
    ...(secret ? signStandardWebhooks({ secret: secrets, id: delivery.id, body }) : {}),
  };
}

function outcomeOf(status: number, retryAfter: string | string[] | undefined, delivery: DeliveryRow): DeliverResponse {
  if (status >= 200 && status < 300) return { ok: true, message_id: delivery.id };
  const retryAfterMs = readRetryAfter(retryAfter);
  return deliverFailure(deliverErrorOfStatus(status), `the address answered ${status}`, {
    provider_status: status,
    ...(status === 408 ? { retryable: true } : {}),
    ...(retryAfterMs === null ? {} : { retry_after: retryAfterMs / 1000 }),
  });
}

/** Every attempt carries the same key, so one whose answer was lost may be retried. */
function codeOfEgress(error: EgressError): DeliverError {
  if (error.code === 'timeout') return 'timeout';
  return permanent(error) ? 'invalid_request' : 'provider_unavailable';
}

function permanent(error: EgressError): boolean {
  return ['blocked_address', 'blocked_scheme', 'blocked_redirect', 'invalid_url', 'invalid_request'].includes(
    error.code,
  );
}
