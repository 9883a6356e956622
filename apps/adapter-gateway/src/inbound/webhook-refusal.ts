import { type Credentials, type JsonObject, redactSecrets, WEBHOOK_REFUSALS } from '#libs/adapter-sdk';
import type { FailedAnswer } from '../adapters/adapter-answer.js';

/** Why an adapter does not accept a webhook: a code, and its words for a person. */
export interface WebhookRefused {
  error: string;
  words: string | null;
}

/** Statuses that alone say that the request is not accepted. Any other one may mean that the route is missing. */
const refusing = new Set([400, 401, 403]);

/** A text for the timeline: cut, and without what Postgres refuses (U+0000, half of a surrogate pair). */
export function shortText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.replaceAll('\0', '').slice(0, 200).toWellFormed() : null;
}

/** Reads an `ok: false` of `/verify-webhook`, without the secrets that it may quote. */
export function webhookRefused({ error, message }: JsonObject, credentials: Credentials): WebhookRefused {
  return { error: safeText(error, credentials) ?? 'refused', words: safeText(message, credentials) };
}

/**
 * Reads a 4xx of `/verify-webhook` that a retry would give again, without the secrets that it may quote.
 * @returns null when it says nothing about the webhook
 */
export function webhookRefusedByStatus(
  { status, body, words: said }: FailedAnswer,
  credentials: Credentials,
): WebhookRefused | null {
  if (!refusing.has(status) && body?.['ok'] !== false) return null;
  const error = WEBHOOK_REFUSALS.find((code) => code === body?.['error']) ?? 'bad_signature';
  const words = `/verify-webhook answered ${status}${said === null || said === error ? '' : `: ${said}`}`;
  return { error, words: safeText(words, credentials) };
}

/** Redacts before it cuts: no part of a secret stays at the end. */
function safeText(value: unknown, credentials: Credentials): string | null {
  return shortText(typeof value === 'string' ? redactSecrets(value, credentials) : null);
}
