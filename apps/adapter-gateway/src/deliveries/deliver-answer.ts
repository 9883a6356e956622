import {
  DELIVER_ERRORS,
  type DeliverErrorDetail,
  type DeliverFailure,
  type DeliverResponse,
  deliverErrorOfStatus,
  deliverFailure,
  isJsonObject,
  type JsonObject,
  wholeNumberAsText,
} from '#libs/adapter-sdk';
import type { FailedAnswer } from '../adapters/adapter-answer.js';

const maxText = 500;

/**
 * Reads an answer of `/deliver`. The contract does not specify its body (spec 4.1): a JSON object is a failure if `ok`
 * is false, or if it has an `error` and no `ok`; null is missing. Any other object is a delivery.
 * @param deliveryId the message id when the adapter gives none
 */
export function deliverAnswer(answer: JsonObject, deliveryId: string): DeliverResponse {
  const { ok, error, message_id: messageId } = answer;
  const failed = ok === false || (!isGiven(ok) && isGiven(error));
  if (failed) return failureOf(answer);
  return { ok: true, message_id: text(wholeNumberAsText(messageId)) ?? deliveryId };
}

/**
 * Reads a 4xx of `/format` or `/deliver` that a retry would give again. A body that is a failure of the contract says
 * more than the status does; any other one only adds its words.
 */
export function deliverRefusal({ status, body, words: said }: FailedAnswer, path: string): DeliverFailure {
  const given = body ?? {};
  const failure = failureOf(given);
  const detail = isJsonObject(given['error_detail']) ? given['error_detail'] : {};
  const words = text(detail['message']) ?? said;
  const message = `${path} answered ${status}${words === null ? '' : `: ${words}`}`.slice(0, maxText);
  const known = DELIVER_ERRORS.some((code) => code === given['error']);
  const { error, error_detail } = known
    ? failure
    : deliverFailure(deliverErrorOfStatus(status), message, detailOf(detail));
  return { ...failure, error, error_detail: { retryable: false, ...error_detail, message, provider_status: status } };
}

function failureOf({ error, error_detail: given, delivered_parts: parts }: JsonObject): DeliverFailure {
  const code = DELIVER_ERRORS.find((known) => known === error);
  const detail = isJsonObject(given) ? given : {};
  const said = text(detail['message']) ?? text(error) ?? 'the adapter does not say why';
  return {
    ...deliverFailure(code ?? 'invalid_request', said, detailOf(detail)),
    ...(isCount(parts) ? { delivered_parts: Math.floor(parts) } : {}),
  };
}

function detailOf({
  retryable,
  retry_after: seconds,
  channel_address: moved,
}: JsonObject): Partial<DeliverErrorDetail> {
  const address = text(wholeNumberAsText(moved));
  return {
    ...(address === null ? {} : { channel_address: address }),
    ...(typeof retryable === 'boolean' ? { retryable } : {}),
    ...(isCount(seconds) ? { retry_after: seconds } : {}),
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** A text that Postgres takes: cut, and without U+0000. */
function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.replaceAll('\0', '').slice(0, maxText) : null;
}
