import { pino } from 'pino';
import { createAdapterServer, type JsonObject, type NormalizedMessage } from '#libs/adapter-sdk';
import { createEgress } from '#libs/egress';
import { createGmailAdapter } from '../gmail.adapter.js';
import { MAILBOX, openGmailFront, TOKEN, type GmailFront } from './gmail-front.js';
import { PATIENT_MS } from '../../testing/patience.js';

export const CREDENTIALS = { access_token: TOKEN };

export interface Delivered extends JsonObject {
  message_id: string;
  parts: { message_id: string }[];
}

/** The adapter over the emulated Gmail, called as the platform calls it. */
export interface FakeGmailWorld {
  front: GmailFront;
  /** Fails when the answer has another status, or repeats the token. */
  post(route: string, payload: JsonObject, status?: number): Promise<{ text: string; contentType: unknown }>;
  call<T = JsonObject>(route: string, payload: JsonObject): Promise<T>;
  /** Without credentials, so that a push is not followed up. */
  parse(document: unknown, changes?: JsonObject): Promise<NormalizedMessage>;
  deliver(message?: JsonObject, changes?: JsonObject): Promise<Delivered>;
  close(): Promise<void>;
}

export async function openGmail(): Promise<FakeGmailWorld> {
  const egress = createEgress({ allow: ['127.0.0.1'] });
  const front = await openGmailFront();
  const settings = { fetch: egress.fetch, timeoutMs: PATIENT_MS, apiUrl: front.url, maxLength: 1_000 };
  const app = createAdapterServer([createGmailAdapter(settings)], {
    version: 'test',
    logger: pino({ level: 'silent' }),
  });

  const post: FakeGmailWorld['post'] = async (route, payload, status = 200) => {
    const answer = await app.inject({
      method: 'POST',
      url: `/gmail/${route}`,
      payload: { credentials: CREDENTIALS, ...payload },
    });
    if (answer.body.includes(TOKEN)) throw new Error(`${route} repeats the token`);
    if (answer.statusCode !== status) throw new Error(`${route}: ${answer.statusCode} ${answer.body}`);
    return { text: answer.body, contentType: answer.headers['content-type'] };
  };
  const call = async <T>(route: string, payload: JsonObject): Promise<T> =>
    JSON.parse((await post(route, payload)).text) as T;
  return {
    front,
    post,
    call,
    parse: (document, changes = {}) =>
      call('parse-inbound', {
        credentials: {},
        request: { method: 'POST', headers: {}, body: JSON.stringify(document) },
        self: { email: MAILBOX },
        ...changes,
      }),
    deliver: (message = {}, changes = {}) =>
      call('deliver', {
        channel_address: 'jane@example.org',
        message: { text: 'hello', ...message },
        idempotency_key: 'key-1',
        ...changes,
      }),
    close: async () => {
      await front.close();
      await egress.close();
    },
  };
}

/** A push as Pub/Sub sends it. */
export const pushOf = (historyId: string): JsonObject => ({
  message: {
    data: Buffer.from(JSON.stringify({ emailAddress: MAILBOX, historyId })).toString('base64'),
    messageId: '2070443601311540',
    publishTime: new Date().toISOString(),
  },
  subscription: 'projects/p/subscriptions/s',
});

export const MAIL_HEADERS = ['From: Jane <Jane@example.org>', `To: ${MAILBOX}`, 'Subject: Build'];

/** Puts a mail into the inbox. */
export const receive = (front: GmailFront, headers: string[], body = 'Is the build green?'): Promise<JsonObject> =>
  front.call('messages/import', { raw: Buffer.from([...headers, '', body].join('\r\n')).toString('base64url') });

/** An error as the Gmail API documents it; its message repeats what was sent. */
export const gmailError = (code: number, reason: string, status: string, message = TOKEN): string =>
  JSON.stringify({ error: { code, message, errors: [{ domain: 'usageLimits', reason, message }], status } });
