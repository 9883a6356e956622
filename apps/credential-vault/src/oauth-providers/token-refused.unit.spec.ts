import { normalise } from './token-answer.js';
import { type FailureClass, TokenRefused } from './token-refused.js';

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

/** @param given the body, sent as JSON unless it is a text */
function failureOf(
  status: number,
  given: unknown,
  { contentType = typeof given === 'string' ? 'text/html' : json, retryAfter = null as number | null } = {},
): FailureClass {
  const body = typeof given === 'string' ? given : JSON.stringify(given);
  const quirks = { permanent_errors: ['acme_over'], revoked_errors: ['consent_withdrawn'] };
  return TokenRefused.of(normalise({ status, contentType, retryAfter, body }, quirks), quirks).failure;
}

describe('a dead refresh token', () => {
  it.each<[string, number, unknown, string?]>([
    ['RFC 6749', 400, { error: 'invalid_grant' }],
    ['RFC 6749, in another spelling', 400, { error: 'INVALID_GRANT' }],
    ['RFC 6749, with another status', 403, { error: 'invalid_grant' }],
    ['RFC 6749, with a server error', 500, { error: 'invalid_grant' }],
    ['Slack', 200, { ok: false, error: 'invalid_refresh_token' }],
    ['Slack, expired', 200, { ok: false, error: 'token_expired' }],
    ['GitHub', 200, { error: 'bad_refresh_token', error_description: 'The refresh token passed is incorrect.' }],
    ['GitHub, as a form', 200, 'error=bad_refresh_token&error_description=incorrect', form],
    ['Microsoft', 400, { error: 'invalid_grant', error_codes: [70008], error_description: 'AADSTS70008: expired' }],
    ['Microsoft, with a second factor', 400, { error: 'interaction_required', suberror: 'basic_action' }],
    ['Salesforce', 400, { error: 'inactive_user', error_description: 'user is inactive' }],
    ['HubSpot', 400, { status: 'BAD_REFRESH_TOKEN', message: 'missing or unknown refresh token' }],
    ['Zoho', 200, { error: 'invalid_code' }],
    ['Notion', 401, { object: 'error', status: 401, code: 'unauthorized', message: 'API token is invalid.' }],
    ['Atlassian', 403, { error: 'unauthorized_client', error_description: 'refresh_token is invalid' }],
    ['Facebook', 400, { error: { message: 'Error validating access token', type: 'OAuthException', code: 190 } }],
    ['X', 400, { error: 'invalid_request', error_description: 'Value passed for the token was invalid.' }],
    ['Zoom', 401, { reason: 'Invalid Token!', error: 'invalid_request' }],
    ['WeChat', 200, { errcode: 40030, errmsg: 'invalid refresh_token' }],
    ['Feishu', 200, { code: 20037, msg: 'The refresh token has been expired.' }],
    ['TikTok', 200, { message: 'error', data: { error_code: 10010, description: 'Refresh token expired' } }],
    ['Twitch', 400, { status: 400, message: 'Invalid refresh token' }],
    ['Okta', 400, { errorCode: 'invalid_grant', errorSummary: 'The refresh token is invalid or expired.' }],
    ['Apigee', 401, { fault: { faultstring: 'Refresh Token expired', detail: { errorcode: 'oauth.v2.Expired' } } }],
    ['Apigee, inside a success', 200, { fault: { faultstring: 'Invalid Access Token', detail: {} } }],
    ['GraphQL', 200, { data: null, errors: [{ message: 'Refresh token has expired' }] }],
    ['an error in words', 403, { error: 'The refresh token has already been used' }],
    ['a list of errors', 400, { errors: [{ code: 'TokenGone', message: 'gone' }] }],
    ['a list as the answer', 400, [{ errorCode: 'EXPIRED_ACCESS', message: 'over' }]],
    ['an error in an object in an object', 400, { error: { error: { code: 'refresh_gone' } } }],
    ['a text', 400, 'Invalid refresh token', 'text/plain'],
    ['a text with a status of its own', 403, 'The refresh token was revoked', 'text/plain'],
    ['nothing', 401, ''],
    ['a page', 401, '<html>Sign in</html>'],
    ['a page after a bad request', 400, '<html>Bad request</html>'],
    ['a code of its own', 400, { error: 'acme_token_gone' }],
    ['a code of its own inside a success', 200, { error: 'acme_token_gone' }],
    ['a code that the manifest declares, with a server error', 500, { error: 'acme_over' }],
    ['a code about the request', 400, { error: 'unsupported_grant_type' }],
  ])('ends one grant: %s (%i)', (_who, status, body, contentType = '') => {
    expect(failureOf(status, body, contentType ? { contentType } : {})).toBe('grant');
  });

  it.each([
    ['token_revoked', 200],
    ['token_revoked', 400],
    ['consent_withdrawn', 400],
  ])('that was withdrawn is distinguished: %s (%i)', (error, status) => {
    expect(failureOf(status, { error })).toBe('revoked');
  });
});

describe('a refused client', () => {
  it.each<[string, number, object]>([
    ['with the status of RFC 6749', 401, { error: 'invalid_client' }],
    ['with another status', 400, { error: 'invalid_client', error_description: 'client authentication failed' }],
    ['inside a success', 200, { error: 'invalid_client' }],
    [
      'whose secret has expired',
      401,
      { error: 'invalid_client', error_description: 'The provided client secret keys are expired' },
    ],
    ['without the right to refresh', 400, { error: 'unauthorized_client' }],
    [
      'without the right, in words about refresh tokens',
      400,
      { error: 'unauthorized_client', error_description: 'not allowed to use the unknown grant refresh_token' },
    ],
    ['in an object', 401, { error: { code: 'INVALID_CLIENT', message: 'no' } }],
  ])('pauses it: %s (%i)', (_how, status, body) => {
    expect(failureOf(status, body)).toBe('client');
  });

  it.each<[number, object]>([
    [200, { error: 'incorrect_client_credentials' }],
    [400, { error: 'invalid_client_id' }],
    [401, { error: 'deleted_client' }],
  ])('by a code of its own neither pauses others nor ends the grant: %i %j', (status, body) => {
    expect(failureOf(status, body)).toBe('rejected');
  });
});

describe('a failure that says nothing about the tokens', () => {
  it.each<[string, FailureClass, number, unknown, { retryAfter?: number; contentType?: string }?]>([
    ['too many requests', 'throttled', 429, {}],
    ['a limit, as a bad request', 'throttled', 400, { error: 'Access Denied', message: 'You made too many requests' }],
    ['a limit inside a success', 'throttled', 200, { ok: false, error: 'ratelimited' }],
    ['Retry-After with a 403', 'throttled', 403, {}, { retryAfter: 30 }],
    ['Retry-After with a 400', 'throttled', 400, { error: 'busy' }, { retryAfter: 30 }],
    ['a server error', 'transient', 503, {}],
    ['a server error with a page', 'transient', 502, '<html>'],
    ['a code of a server error', 'transient', 400, { error: 'temporarily_unavailable' }],
    ['a server error inside a success', 'transient', 200, { ok: false, error: 'internal_error' }],
    ['a server error in words', 'transient', 400, { error: { code: 2, message: 'Service temporarily unavailable' } }],
    ['a number inside a success', 'transient', 200, { errcode: -1, errmsg: 'system busy' }],
    ['a firewall', 'transient', 403, '<html>Blocked</html>'],
    ['a gateway', 'transient', 403, { message: 'Forbidden' }],
    ['a gateway that repeats the status', 'transient', 403, { status: 403, error: 'Forbidden' }],
    ['a page that is not there', 'transient', 404, '<html>Not found</html>'],
    ['a redirect', 'transient', 302, ''],
    ['a success without a body', 'malformed', 200, ''],
    ['a success with a page', 'malformed', 200, '<html>'],
    ['a success without tokens', 'malformed', 200, { ok: true }],
    ['a success with other data', 'malformed', 200, { data: { code: 'x1', description: 'A token of thanks' } }],
    ['a server error in an envelope', 'transient', 500, { fault: { faultstring: 'Execution failed' } }],
    ['a success with an unreadable token', 'malformed', 200, { access_token: { value: 'a' } }],
  ])('%s is %s (%i)', (_what, failure, status, body, more = {}) => {
    expect(failureOf(status, body, more)).toBe(failure);
  });
});

describe('TokenRefused', () => {
  it.each([{ error: 'refresh token secret-123 is bad' }, { error: { message: 'secret-123 is not a token' } }])(
    'keeps no text of the provider that is not a code: %j',
    (body) => {
      const answer = normalise({ status: 400, contentType: json, retryAfter: null, body: JSON.stringify(body) }, {});
      expect(JSON.stringify([String(TokenRefused.of(answer, {})), TokenRefused.of(answer, {})])).not.toContain(
        'secret',
      );
    },
  );

  it('names the code of the provider', () => {
    const body = JSON.stringify({ status: 'BAD_REFRESH_TOKEN', message: 'unknown' });
    const answer = normalise({ status: 400, contentType: json, retryAfter: null, body }, {});
    expect(TokenRefused.of(answer, {}).code).toBe('BAD_REFRESH_TOKEN');
  });
});
