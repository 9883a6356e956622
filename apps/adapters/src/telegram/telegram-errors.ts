import {
  type DeliverError,
  type DeliverFailure,
  deliverFailure,
  type JsonObject,
  MAX_RETRY_AFTER_SECONDS,
} from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';

/** Descriptions of status 400 that mean something other than a bad request; Telegram has no codes of its own. */
const DESCRIPTIONS: readonly (readonly [RegExp, DeliverError])[] = [
  [/reaction_invalid/i, 'unsupported'],
  [/message is too long|text must be shorter/i, 'too_large'],
  [/can't parse entities|unsupported start tag/i, 'invalid_format'],
  [
    /not enough rights|have no rights|need administrator rights|topic_closed|chat_write_forbidden/i,
    'permission_denied',
  ],
  [
    /chat not found|user not found|message to edit not found|message to react not found|peer_id_invalid|thread not found|topic_deleted|message to be replied not found/i,
    'not_found',
  ],
];

const BY_STATUS: Record<number, DeliverError> = {
  401: 'auth_failed',
  // The bot was blocked, or removed from the chat.
  403: 'permission_denied',
  // The URL has only the token and the method, so the token is unknown.
  404: 'auth_failed',
  413: 'too_large',
  429: 'rate_limited',
};

/** The wait for a 429 that names none. */
const DEFAULT_RETRY_AFTER_SECONDS = 30;

/**
 * `body` is `{ok: false, error_code, description, parameters}`; an empty one came from a proxy in between. A group that
 * became a supergroup has a new address, which the failure names.
 */
export function failureOfTelegramError(httpStatus: number, body: JsonObject): DeliverFailure {
  const status = typeof body.error_code === 'number' ? body.error_code : httpStatus;
  const description = textOf(body.description);
  const { migrate_to_chat_id, retry_after } = objectOf(body.parameters);
  const detail = {
    provider_status: status,
    ...(description !== undefined && { provider_code: description.slice(0, 100) }),
  };
  const movedTo = textOf(migrate_to_chat_id);
  if (movedTo !== undefined) {
    return deliverFailure('address_moved', 'the group has become a supergroup', {
      ...detail,
      channel_address: movedTo,
    });
  }
  const error = errorOf(status, description ?? '');
  const wait = typeof retry_after === 'number' ? Math.min(retry_after, MAX_RETRY_AFTER_SECONDS) : undefined;
  return deliverFailure(error, `Telegram answered ${status}`, {
    ...detail,
    ...(error === 'rate_limited' && { retry_after: wait ?? DEFAULT_RETRY_AFTER_SECONDS }),
  });
}

function errorOf(status: number, description: string): DeliverError {
  const known = status === 400 ? DESCRIPTIONS.find(([pattern]) => pattern.test(description)) : undefined;
  if (known) return known[1];
  return BY_STATUS[status] ?? (status >= 500 || status < 400 ? 'provider_unavailable' : 'invalid_request');
}
