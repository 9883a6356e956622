import { headerValue, type MessageMetadata } from '#libs/adapter-sdk';
import { automaticMail, replyAddress } from './automatic-mail.js';
import { addressIn, addressListText, nameIn } from './mail-address.js';
import { messageIdsIn } from './message-ids.js';
import type { ReadMail } from './read-mime.js';
import { replyContextOf } from './reply-context.js';
import { textOfLines } from './mail-line.js';
import { fromHeader, listAddress } from './mail-list.js';
import { mailInvite } from './mail-invite.js';
import { mailReport } from './mail-report.js';
import { visibleReply } from './visible-reply.js';

const MAX_LIST_ID_LENGTH = 500;

/** The metadata of every mail, whichever provider brought it. */
export function mailMetadata({ headers, subject, attachments }: ReadMail): MessageMetadata {
  const from = fromHeader(headers);
  const [email, name] = [addressIn(from), nameIn(from)];
  const cc = headerValue(headers, 'cc');
  const list = listAddress(headers);
  const listId = headerValue(headers, 'list-id');
  const messageId = headerValue(headers, 'message-id');
  const references = messageIdsIn(headerValue(headers, 'references') ?? headerValue(headers, 'in-reply-to'));
  return {
    subject: subject ?? '',
    to: addressListText(headerValue(headers, 'to')),
    ...(cc !== undefined && { cc: addressListText(cc) }),
    ...(email !== undefined && { sender: { id: senderOf(headers), email, ...(name !== undefined && { name }) } }),
    channel_address: replyAddress(headers) ?? null,
    ...(listId !== undefined && { list_id: listId.slice(0, MAX_LIST_ID_LENGTH) }),
    ...(list !== undefined && { list_address: list }),
    ...(attachments.length > 0 && { attachments }),
    reply_context: replyContextOf({ messageId, references, subject }),
    ...automaticMail(headers),
  };
}

/**
 * What a mail is: a report, or what its writer wrote, with an invitation in words. What they quote, and their signature,
 * are metadata. `parts` come last among the metadata: those of a report are of the mail that it is about.
 */
export function mailContent(mail: ReadMail): {
  event_type: string;
  sender: string;
  message: string;
  parts: MessageMetadata;
} {
  const { message, ...parts } = visibleReply(mail.lines, mail.subject);
  const report = mailReport(mail);
  const sender = senderOf(mail.headers);
  if (report) {
    const { summary, metadata } = report;
    const text = textOfLines(mail.lines);
    return {
      event_type: 'delivery_status',
      sender,
      message: text === '' ? summary : `${summary}\n\n${text}`,
      parts: metadata,
    };
  }
  const invite = mailInvite(mail);
  return {
    event_type: 'email_received',
    sender,
    message: [message, ...(invite ? [invite.words] : [])].filter((text) => text !== '').join('\n\n'),
    parts: { ...parts, ...invite?.metadata },
  };
}

/** The Message-ID of a mail, and that of its thread's first mail: its own if it answers none. */
export function mailIds(headers: ReadMail['headers']): { messageId: string | undefined; threadId: string | undefined } {
  const [messageId] = messageIdsIn(headerValue(headers, 'message-id'));
  const [root] = messageIdsIn(headerValue(headers, 'references') ?? headerValue(headers, 'in-reply-to'));
  return { messageId, threadId: root ?? messageId };
}

/**
 * Who sent a mail: the address in its `From` that can be answered, else the header's text. Of a person behind a group's
 * `From` both: only the group vouches for the person, and anybody can write such a header, so it makes nobody known.
 */
export function senderOf(headers: ReadMail['headers']): string {
  const from = headerValue(headers, 'from');
  const given = addressIn(from) ?? (addressListText(from) || 'unknown');
  const person = addressIn(fromHeader(headers));
  return person === undefined || person === given ? given : `${person} via ${given}`;
}
