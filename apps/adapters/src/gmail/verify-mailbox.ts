import { type VerifyCall, type VerifyResult, refusedCredentials } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { callGmail, type GmailHttp } from './gmail-api.js';
import { readPushSettings } from './verify-push.js';

/** Asks whose mailbox the token opens. */
export async function verifyMailbox({ credentials }: VerifyCall, http: GmailHttp): Promise<VerifyResult> {
  const answer = await callGmail(credentials, { path: 'profile' }, http);
  if ('ok' in answer) return refusedCredentials(answer);
  const email = textOf(objectOf(answer.json).emailAddress);
  if (email === undefined) return { ok: false, error: 'provider_unavailable', message: 'Gmail returned no mailbox' };
  return {
    ok: true,
    user: email,
    account: { id: email, email, account: email },
    ...(!readPushSettings(credentials) && {
      warnings: ['pubsub_audience and pubsub_service_account are not both set: every push is refused'],
    }),
  };
}
