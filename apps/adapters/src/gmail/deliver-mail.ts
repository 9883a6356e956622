import {
  type DeliverCall,
  deliverFailure,
  type DeliverFailure,
  deliverParts,
  type DeliverResponse,
  type SentPart,
  splitText,
} from '#libs/adapter-sdk';
import { composeMime } from '../mail/compose-mime.js';
import { isMailAddress } from '../mail/mail-address.js';
import { mailPart, mailProblem } from '../mail/mail-part.js';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { callGmail, type GmailHttp } from './gmail-api.js';

/** Gmail's own domain, for mailboxes whose address is unknown: Gmail replaces a Message-ID that it does not accept. */
const DOMAIN = 'mail.gmail.com';

/** Sends the message with `users.messages.send`, in the thread that it answers. */
export async function deliverMail(
  call: DeliverCall,
  settings: GmailHttp & { maxLength: number },
): Promise<DeliverResponse> {
  const problem = mailProblem(call);
  if (problem) return problem;
  const { from } = call.credentials;
  const sender = typeof from === 'string' && from.trim() !== '' ? from.trim() : undefined;
  if (sender !== undefined && !isMailAddress(sender)) {
    return deliverFailure('auth_failed', 'from must be one mail address without a name');
  }
  const domain = sender?.slice(sender.indexOf('@') + 1) ?? DOMAIN;

  return deliverParts(call, splitText(call.message.text, settings.maxLength), async (part) => {
    const raw = (await composeMime(mailPart(call, part, domain), sender)).toString('base64url');
    const threadId = part.threadId !== undefined && isThreadId(part.threadId) ? part.threadId : undefined;
    const sent = await send(call, { raw, threadId }, settings);
    // The thread is gone, but not the recipient: the mail's own headers still name what it answers.
    if ('ok' in sent && sent.error === 'not_found' && threadId !== undefined) {
      const unthreaded = await send(call, { raw, threadId: undefined }, settings);
      return 'ok' in unthreaded ? unthreaded : { ...unthreaded, fallback: 'new_thread' };
    }
    return sent;
  });
}

async function send(
  call: DeliverCall,
  mail: { raw: string; threadId: string | undefined },
  settings: GmailHttp,
): Promise<SentPart | DeliverFailure> {
  const answer = await callGmail(call.credentials, { path: 'messages/send', json: mail }, settings);
  if ('ok' in answer) return answer;
  const { id, threadId } = objectOf(answer.json);
  const messageId = textOf(id);
  return messageId === undefined
    ? deliverFailure('timeout', 'Gmail accepted the mail but returned no id')
    : { messageId, threadId: textOf(threadId) };
}

/** Whether it is a Gmail thread, and not a Message-ID that another mail adapter used as one. */
function isThreadId(text: string): boolean {
  return /^[\w-]{1,128}$/.test(text);
}
