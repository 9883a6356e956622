import { type RenewWebhookCall, type RenewWebhookResult, refusedCredentials } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { callGmail, type GmailHttp } from './gmail-api.js';

const TOPIC = /^projects\/[\w.:-]{1,100}\/topics\/[\w.~+%-]{3,255}$/;

/**
 * Makes Gmail publish the changes of the mailbox to the topic of the credentials, for seven more days.
 * Source: Gmail API reference v1, users.watch
 */
export async function renewWatch({ credentials }: RenewWebhookCall, http: GmailHttp): Promise<RenewWebhookResult> {
  const topic = textOf(credentials.pubsub_topic);
  if (topic === undefined) {
    return {
      ok: false,
      error: 'not_configured',
      message: 'pubsub_topic is not set: you must call users.watch yourself',
    };
  }
  if (!TOPIC.test(topic)) {
    return { ok: false, error: 'not_configured', message: 'pubsub_topic must be projects/<project>/topics/<topic>' };
  }
  const json = { topicName: topic, labelIds: ['INBOX', 'SENT'], labelFilterBehavior: 'include' };
  const answer = await callGmail(credentials, { path: 'watch', json }, http);
  if ('ok' in answer) {
    const { error, error_detail: detail } = answer;
    if (error === 'auth_failed') return refusedCredentials(answer);
    return { ok: false, error, ...(detail && { message: `users.watch: ${detail.message}` }) };
  }
  const expires = new Date(Number(textOf(objectOf(answer.json).expiration) ?? Number.NaN));
  return { ok: true, ...(!Number.isNaN(expires.getTime()) && { expires_at: expires.toISOString() }) };
}
