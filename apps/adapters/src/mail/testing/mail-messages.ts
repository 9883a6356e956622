import { pino } from 'pino';
import { createAdapterServer, type JsonObject, type NormalizedMessage } from '#libs/adapter-sdk';
import { createGmailAdapter } from '../../gmail/gmail.adapter.js';
import { createImapAdapter } from '../../imap/imap.adapter.js';
import { createSendgridAdapter } from '../../sendgrid/sendgrid.adapter.js';

const none = () => Promise.reject(new Error('receiving makes no call'));
const app = createAdapterServer(
  [
    createGmailAdapter({ fetch: none, timeoutMs: 1 }),
    createImapAdapter({ connect: none, timeoutMs: 1 }),
    createSendgridAdapter({ fetch: none, timeoutMs: 1 }),
  ],
  { version: 'test', logger: pino({ level: 'silent' }) },
);
const json = { 'content-type': 'application/json' };

/** The event of a mail by each adapter that gets mails as they were sent. */
export async function messagesOf(mail: Buffer): Promise<NormalizedMessage[]> {
  const form = Buffer.concat([
    Buffer.from('--form\r\nContent-Disposition: form-data; name="email"\r\n\r\n'),
    mail,
    Buffer.from('\r\n--form--'),
  ]);
  const requests: Record<string, JsonObject> = {
    imap: {
      headers: json,
      body: JSON.stringify({ folder: 'INBOX', uid_validity: '1', uid: '2', mail: mail.toString('base64') }),
    },
    gmail: {
      headers: json,
      body: JSON.stringify({ id: 'm1', threadId: 't1', labelIds: ['INBOX'], raw: mail.toString('base64url') }),
    },
    sendgrid: {
      headers: { 'content-type': 'multipart/form-data; boundary=form' },
      body: form.toString('base64'),
      body_encoding: 'base64',
    },
  };
  const messages: NormalizedMessage[] = [];
  for (const [slug, request] of Object.entries(requests)) {
    const answer = await app.inject({
      method: 'POST',
      url: `/${slug}/parse-inbound`,
      payload: { credentials: {}, request, self: { email: 'desk@example.com' } },
    });
    if (answer.statusCode !== 200) throw new Error(`${slug} answered ${answer.statusCode}: ${answer.body}`);
    messages.push(answer.json<NormalizedMessage>());
  }
  return messages;
}
