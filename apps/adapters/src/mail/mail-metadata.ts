import { headerValue, type MessageMetadata } from '#libs/adapter-sdk';
import { automaticMail } from './automatic-mail.js';
import { addressIn, nameIn } from './mail-address.js';
import { messageIdsIn } from './message-ids.js';
import type { ReadMail } from './read-mime.js';
import { replyContextOf } from './reply-context.js';

/** What is told of every mail, whichever provider brought it. */
export function mailMetadata({ headers, subject, attachments }: ReadMail): MessageMetadata {
  const from = headerValue(headers, 'from');
  const [email, name] = [addressIn(from), nameIn(from)];
  const replyTo = addressIn(headerValue(headers, 'reply-to')) ?? email;
  const cc = headerValue(headers, 'cc');
  const messageId = headerValue(headers, 'message-id');
  const references = messageIdsIn(headerValue(headers, 'references') ?? headerValue(headers, 'in-reply-to'));
  return {
    subject: subject ?? '',
    to: headerValue(headers, 'to') ?? '',
    ...(cc !== undefined && { cc }),
    ...(email !== undefined && { sender: { id: email, email, ...(name !== undefined && { name }) } }),
    ...(replyTo !== undefined && { channel_address: replyTo }),
    ...(attachments.length > 0 && { attachments }),
    reply_context: replyContextOf({ messageId, references, subject }),
    ...automaticMail(headers),
  };
}
