import { headerValue, type MessageMetadata } from '#libs/adapter-sdk';
import { automaticMail, replyAddress } from './automatic-mail.js';
import { addressIn, addressListText, nameIn } from './mail-address.js';
import { messageIdsIn } from './message-ids.js';
import type { ReadMail } from './read-mime.js';
import { replyContextOf } from './reply-context.js';

const MAX_LIST_ID_LENGTH = 500;

/** The metadata of every mail, whichever provider brought it. */
export function mailMetadata({ headers, subject, attachments }: ReadMail): MessageMetadata {
  const from = headerValue(headers, 'from');
  const [email, name] = [addressIn(from), nameIn(from)];
  const cc = headerValue(headers, 'cc');
  const listId = headerValue(headers, 'list-id');
  const messageId = headerValue(headers, 'message-id');
  const references = messageIdsIn(headerValue(headers, 'references') ?? headerValue(headers, 'in-reply-to'));
  return {
    subject: subject ?? '',
    to: addressListText(headerValue(headers, 'to')),
    ...(cc !== undefined && { cc: addressListText(cc) }),
    ...(email !== undefined && { sender: { id: email, email, ...(name !== undefined && { name }) } }),
    channel_address: replyAddress(headers) ?? null,
    ...(listId !== undefined && { list_id: listId.slice(0, MAX_LIST_ID_LENGTH) }),
    ...(attachments.length > 0 && { attachments }),
    reply_context: replyContextOf({ messageId, references, subject }),
    ...automaticMail(headers),
  };
}

/** The Message-ID of a mail, and that of its thread's first mail: its own if it answers none. */
export function mailIds(headers: ReadMail['headers']): { messageId: string | undefined; threadId: string | undefined } {
  const [messageId] = messageIdsIn(headerValue(headers, 'message-id'));
  const [root] = messageIdsIn(headerValue(headers, 'references') ?? headerValue(headers, 'in-reply-to'));
  return { messageId, threadId: root ?? messageId };
}

/** Who sent a mail: the address in its `From` that can be answered, else the header's text. */
export function senderOf(headers: ReadMail['headers']): string {
  const from = headerValue(headers, 'from');
  return addressIn(from) ?? (addressListText(from) || 'unknown');
}
