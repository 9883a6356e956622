import { type InboundCall, PreparedScheme, verifyScheme, type VerifyWebhookResult } from '#libs/adapter-sdk';

/**
 * `X-Hub-Signature-256: sha256=<hex HMAC-SHA256 of the body>`. It signs no time, so GitHub can redeliver.
 * Source: https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
 */
const scheme = new PreparedScheme({
  scheme: 'hmac',
  header: 'x-hub-signature-256',
  secret_fields: ['signing_secret'],
});

export function verifyGithubWebhook(call: InboundCall): VerifyWebhookResult {
  return verifyScheme(scheme, call, 'github-sha256');
}
