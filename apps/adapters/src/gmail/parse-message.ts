import { decodeWords } from 'postal-mime';
import { headerValue, ignoredMessage, type JsonObject, type NormalizedMessage, type Self } from '#libs/adapter-sdk';
import { carriesDeliveryHeader } from '../mail/delivery-header.js';
import { addressIn } from '../mail/mail-address.js';
import { mailContent, mailMetadata } from '../mail/mail-metadata.js';
import { headerMap, readMime, type ReadMail } from '../mail/read-mime.js';
import { objectsOf, objectOf, textOf } from '../provider-calls/json-fields.js';
import { readParts } from './message-parts.js';

/** The normalized message of a message resource in any format; undefined when the document is not one. */
export async function parseMessage(
  resource: JsonObject,
  self: Self | undefined,
): Promise<NormalizedMessage | undefined> {
  const [id, threadId] = [textOf(resource.id), textOf(resource.threadId)];
  if (id === undefined || threadId === undefined) return undefined;
  const labels = Array.isArray(resource.labelIds) ? resource.labelIds.filter((label) => typeof label === 'string') : [];
  if (labels.includes('DRAFT')) return ignoredMessage('draft', { message_id: id });
  const mail = await readResource(resource, id);
  if (!mail) return ignoredMessage('unreadable_mail', { message_id: id });
  const { headers } = mail;
  const { event_type, sender, message, parts } = mailContent(mail);
  const email = addressIn(headerValue(headers, 'from'));
  const fromSelf = email !== undefined && email === self?.email?.toLowerCase();
  // Sent and not received. A mail to oneself has both labels, and counts as received unless an adapter sent it.
  const own = (labels.includes('SENT') && !labels.includes('INBOX')) || carriesDeliveryHeader(headers);
  return {
    event_type,
    sender,
    message: message === '' ? (textOf(resource.snippet) ?? '') : message,
    is_bot: own,
    dedup_key: `gmail:${id}`,
    thread_id: threadId,
    metadata: {
      ...mailMetadata(mail),
      message_id: id,
      is_self: own || fromSelf,
      labels,
      raw_type: 'gmail.message',
      ...(self?.email !== undefined && { account: self.email }),
      ...timestampOf(resource),
      ...parts,
    },
  };
}

async function readResource(resource: JsonObject, id: string): Promise<ReadMail | undefined> {
  const raw = textOf(resource.raw);
  if (raw !== undefined) return readMime(Buffer.from(raw, 'base64url'));
  const payload = objectOf(resource.payload);
  const headers = headerMap(
    objectsOf(payload.headers).map((header) => [textOf(header.name) ?? '', textOf(header.value) ?? '']),
  );
  return {
    headers,
    subject: decodeWords(headerValue(headers, 'subject') ?? '') || undefined,
    ...readParts(payload, id),
  };
}

/**
 * `internalDate` is when Gmail accepted the mail, in milliseconds; the mail's own date is whatever its sender wrote.
 */
function timestampOf(resource: JsonObject): { timestamp?: string } {
  const milliseconds = Number(textOf(resource.internalDate) ?? Number.NaN);
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? {} : { timestamp: date.toISOString() };
}
