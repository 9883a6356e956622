import { deliverFailure, type DeliverError, type DeliverFailure } from '#libs/adapter-sdk';

/** Slack's error codes by what they mean for a delivery. Source: the error lists of chat.postMessage and auth.test. */
const CODES: Partial<Record<DeliverError, readonly string[]>> = {
  auth_failed: [
    'invalid_auth',
    'not_authed',
    'token_revoked',
    'token_expired',
    'account_inactive',
    'org_login_required',
  ],
  permission_denied: [
    'missing_scope',
    'not_allowed_token_type',
    'no_permission',
    'access_denied',
    'ekm_access_denied',
    'enterprise_is_restricted',
    'team_access_not_granted',
    'not_in_channel',
    'is_archived',
    'is_inactive',
    'cannot_reply_to_message',
    'restricted_action',
    'restricted_action_read_only_channel',
    'restricted_action_thread_only_channel',
    'restricted_action_non_threadable_channel',
    'restricted_action_thread_locked',
    'messages_tab_disabled',
    'two_factor_setup_required',
  ],
  not_found: [
    'channel_not_found',
    'thread_not_found',
    'message_not_found',
    'user_not_found',
    'cant_update_message',
    'edit_window_closed',
  ],
  rate_limited: ['ratelimited', 'rate_limited', 'message_limit_exceeded'],
  too_large: ['msg_too_long', 'msg_blocks_too_long', 'metadata_too_large'],
  invalid_format: ['no_text', 'invalid_blocks', 'invalid_blocks_format', 'markdown_text_conflict'],
  unsupported: ['invalid_name', 'method_deprecated', 'deprecated_endpoint', 'method_not_supported_for_channel_type'],
  provider_unavailable: [
    'internal_error',
    'fatal_error',
    'service_unavailable',
    'request_timeout',
    'team_added_to_org',
  ],
};

/** The wait for a 429 that names none. */
const DEFAULT_RETRY_AFTER_SECONDS = 30;

/** `code` is Slack's `error`; undefined when the body is not Slack's. */
export function failureOfSlackError(answer: {
  status: number;
  code: string | undefined;
  retryAfter: number | undefined;
}): DeliverFailure {
  const { status, code, retryAfter } = answer;
  const error = errorOf(status, code);
  return deliverFailure(error, code === undefined ? `Slack answered ${status}` : 'Slack refused the call', {
    provider_status: status,
    ...(code !== undefined && { provider_code: code.slice(0, 100) }),
    ...(error === 'rate_limited' && { retry_after: retryAfter ?? DEFAULT_RETRY_AFTER_SECONDS }),
    ...(error === 'provider_unavailable' && retryAfter !== undefined && { retry_after: retryAfter }),
  });
}

function errorOf(status: number, code: string | undefined): DeliverError {
  if (status === 429) return 'rate_limited';
  const known = Object.entries(CODES).find(([, codes]) => code !== undefined && codes.includes(code));
  if (known) return known[0] as DeliverError;
  if (status === 401) return 'auth_failed';
  if (status === 403) return 'permission_denied';
  if (status === 404) return 'not_found';
  // A 200 without Slack's JSON comes from a proxy in between.
  return status >= 500 || code === undefined ? 'provider_unavailable' : 'invalid_request';
}
