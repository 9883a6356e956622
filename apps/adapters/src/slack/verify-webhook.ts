import { type InboundCall, PreparedScheme, verifyScheme, type VerifyWebhookResult } from '#libs/adapter-sdk';

/**
 * `X-Slack-Signature: v0=<hex HMAC-SHA256 of "v0:<timestamp>:<body>">`.
 * Source: https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
const scheme = new PreparedScheme({
  scheme: 'hmac',
  header: 'x-slack-signature',
  prefix: 'v0=',
  timestamp_header: 'x-slack-request-timestamp',
  signed_text: 'v0:{timestamp}:{body}',
  secret_fields: ['signing_secret'],
});

export function verifySlackWebhook(call: InboundCall): VerifyWebhookResult {
  return verifyScheme(scheme, call, 'slack-v0');
}
