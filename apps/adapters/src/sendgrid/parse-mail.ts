import { createHash } from 'node:crypto';
import {
  headerValue,
  ignoredMessage,
  parseJson,
  type Form,
  type InboundCall,
  type MessageMetadata,
  type NormalizedMessage,
} from '#libs/adapter-sdk';
import { carriesDeliveryHeader } from '../mail/delivery-header.js';
import { addressIn } from '../mail/mail-address.js';
import { mailIds, mailContent, mailMetadata } from '../mail/mail-metadata.js';
import { bodyLines, readFiles, readMime, type ReadMail } from '../mail/read-mime.js';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { decodeMail } from '../mail/decode-mail.js';

/** A mail of Inbound Parse, parsed by SendGrid or, with "Send Raw" on, as received. */
export async function parseMail(form: Form, call: InboundCall): Promise<NormalizedMessage> {
  const fields = readFields(form);
  const mail = await readMail(form, fields);
  if (!mail) return ignoredMessage('unreadable_mail');
  const envelope = objectOf(parseJson(fields.get('envelope') ?? ''));
  // Inbound Parse gives the return path here and in no header; an empty one marks a bounce.
  if (envelope.from === '') mail.headers['return-path'] = ['<>'];
  const { headers } = mail;
  const { event_type, sender, message, parts } = mailContent(mail);
  const email = addressIn(headerValue(headers, 'from'));
  const own = call.credentials.from_email;
  const fromSelf = email !== undefined && typeof own === 'string' && email === own.trim().toLowerCase();
  // Every mail of ours has the header. Without it, a person may have written from the App's own address.
  const isOwn = carriesDeliveryHeader(headers);
  const { messageId, threadId } = mailIds(headers);
  return {
    event_type,
    sender,
    message,
    is_bot: isOwn,
    dedup_key: `sendgrid:${messageId ?? createHash('sha256').update(call.request.body).digest('hex')}`,
    ...(threadId !== undefined && { thread_id: threadId }),
    metadata: {
      ...mailMetadata(mail),
      ...checks(fields),
      ...envelopeOf(envelope),
      is_self: isOwn || fromSelf,
      timestamp: call.receivedAt.toISOString(),
      raw_type: 'sendgrid.inbound',
      ...(messageId !== undefined && { message_id: messageId }),
      ...parts,
    },
  };
}

async function readMail(form: Form, fields: ReadonlyMap<string, string>): Promise<ReadMail | undefined> {
  const raw =
    form.fields.find(({ name }) => name === 'email')?.bytes ?? form.files.find(({ field }) => field === 'email')?.bytes;
  if (raw) return readMime(raw);
  const block = fields.get('headers');
  if (block === undefined) return undefined;
  const mail = await readMime(`${block.trimEnd()}\r\n\r\n`);
  return (
    mail && {
      headers: mail.headers,
      subject: fields.get('subject') ?? mail.subject,
      lines: bodyLines(fields.get('text'), fields.get('html')),
      files: readFiles(form.files.map(({ contentType, bytes }) => ({ type: contentType.toLowerCase(), bytes }))),
      // Their bytes came with the webhook and are not kept, so they cannot be fetched later.
      attachments: form.files.map((file) => ({
        id: file.field,
        name: file.name,
        content_type: file.contentType,
        size: file.bytes.length,
      })),
    }
  );
}

/** SendGrid's verdicts on the sender, in its own words. */
function checks(fields: ReadonlyMap<string, string>): MessageMetadata {
  const [spf, dkim, score, ip] = ['SPF', 'dkim', 'spam_score', 'sender_ip'].map((name) => fields.get(name));
  return {
    ...(spf !== undefined && { spf }),
    ...(dkim !== undefined && { dkim }),
    ...(score !== undefined && Number.isFinite(Number(score)) && { spam_score: Number(score) }),
    ...(ip !== undefined && { sender_ip: ip }),
  };
}

function envelopeOf(envelope: Record<string, unknown>): MessageMetadata {
  const recipients = Array.isArray(envelope.to) ? envelope.to.flatMap((entry) => textOf(entry) ?? []) : [];
  const [account] = recipients;
  return {
    ...(account !== undefined && { account: account.toLowerCase(), envelope_to: recipients }),
    ...(typeof envelope.from === 'string' && { envelope_from: envelope.from }),
  };
}

/** The fields of a form as text. SendGrid posts each in the sender's charset, and names the charsets in a field. */
function readFields(form: Form): Map<string, string> {
  const charsets = objectOf(parseJson(form.get('charsets') ?? ''));
  const fields = new Map<string, string>();
  for (const { name, bytes } of form.fields) {
    if (!fields.has(name)) fields.set(name, decodeMail(bytes, textOf(charsets[name]) ?? 'utf-8'));
  }
  return fields;
}
