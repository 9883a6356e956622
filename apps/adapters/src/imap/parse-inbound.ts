import {
  headerValue,
  ignoredMessage,
  type InboundCall,
  type MessageAttachment,
  type NormalizedMessage,
} from '#libs/adapter-sdk';
import { carriesDeliveryHeader } from '../mail/delivery-header.js';
import { addressIn } from '../mail/mail-address.js';
import { mailIds, mailContent, mailMetadata } from '../mail/mail-metadata.js';
import { readMime } from '../mail/read-mime.js';
import { type CarriedMail, readMailEvent } from './mail-event.js';

/** A mail that `/poll` has read. */
export async function parseImapInbound({ request, self }: InboundCall): Promise<NormalizedMessage> {
  const carried = readMailEvent(request.text);
  if (!carried) return ignoredMessage('no_mail');
  const mail = await readMime(carried.bytes);
  if (!mail) return ignoredMessage('unreadable_mail');
  const { folder, uidValidity, uid, size, receivedAt } = carried;
  const isCut = size > carried.bytes.length;
  const { headers } = mail;
  const { event_type, sender, message, parts } = mailContent(mail);
  const { messageId, threadId } = mailIds(headers);
  const email = addressIn(headerValue(headers, 'from'));
  const isOwn = carriesDeliveryHeader(headers);
  return {
    event_type,
    sender,
    message,
    is_bot: isOwn,
    dedup_key: `imap:${messageId ?? `${uidValidity}:${uid}`}`,
    ...(threadId !== undefined && { thread_id: threadId }),
    metadata: {
      ...mailMetadata({ ...mail, attachments: fetchable(mail.attachments, carried, isCut) }),
      is_self: isOwn || (email !== undefined && email === self?.email?.toLowerCase()),
      folder,
      raw_type: 'imap.mail',
      ...(messageId !== undefined && { message_id: messageId }),
      ...(self?.email !== undefined && { account: self.email }),
      ...(receivedAt !== undefined && { timestamp: receivedAt }),
      // What is behind the cut is in the mailbox only.
      ...(isCut && { truncated: true, mail_bytes: size }),
      ...parts,
    },
  };
}

function fetchable(attachments: MessageAttachment[], { uidValidity, uid }: CarriedMail, isCut: boolean) {
  return attachments.map(({ size, ...attachment }, index) => ({
    ...attachment,
    // The last one may go on behind the cut.
    ...(size !== undefined && !(isCut && index === attachments.length - 1) && { size }),
    fetch_ref: `${uidValidity}/${uid}/${index + 1}`,
  }));
}
