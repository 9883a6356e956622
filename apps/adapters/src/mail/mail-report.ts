import { headerValue, type MessageMetadata } from '#libs/adapter-sdk';
import { DELIVERY_HEADER } from './delivery-header.js';
import { addressIn } from './mail-address.js';
import { messageIdsIn } from './message-ids.js';
import type { MailFile, ReadMail } from './read-mime.js';

type Fields = ReadonlyMap<string, string>;

/** A report of a mail server or program about a mail that was sent: an event, and nothing that can be answered. */
export interface MailReport {
  /** What it says, in one line. */
  summary: string;
  metadata: MessageMetadata;
}

const MAX_REPORT_LENGTH = 64 * 1024;
const MAX_REASON_LENGTH = 500;
/** Of a delivery report, the one that counts first. Source: RFC 3464 2.3.3. */
const ACTIONS: readonly [action: string, status: string][] = [
  ['failed', 'bounce'],
  ['delayed', 'deferred'],
  ['delivered', 'delivered'],
  ['relayed', 'delivered'],
  ['expanded', 'delivered'],
];

/**
 * Reads a delivery report (DSN, RFC 3464), a complaint (ARF, RFC 5965) or a receipt (MDN, RFC 8098), and which mail it is
 * about: by the mark of our own mails, if the report brings it, and by its Message-ID.
 */
export function mailReport({ headers, files }: ReadMail): MailReport | undefined {
  const read = deliveryReport(files) ?? complaint(files) ?? receipt(files);
  if (!read) return undefined;
  const { status, recipient, reason, original } = read;
  const about = originalHeaders(files);
  const [messageId] = messageIdsIn(
    original ?? about.get('message-id') ?? headerValue(headers, 'references') ?? headerValue(headers, 'in-reply-to'),
  ).slice(-1);
  const mark = about.get(DELIVERY_HEADER.toLowerCase());
  return {
    summary: [status, ...(recipient === undefined ? [] : [recipient]), ...(reason === undefined ? [] : [reason])].join(
      ': ',
    ),
    metadata: {
      status,
      auto_submitted: true,
      bounce: status === 'bounce',
      notification: true,
      channel_address: null,
      message_id: messageId,
      // Not the sender: anybody can write a report.
      ...(recipient !== undefined && { recipient }),
      ...(mark !== undefined && { delivery_key: mark.slice(0, 200) }),
      ...(reason !== undefined && { reason }),
      ...(read.code !== undefined && { status_code: read.code }),
    },
  };
}

interface ReadReport {
  status: string;
  recipient: string | undefined;
  reason?: string | undefined;
  /** RFC 3463. */
  code?: string | undefined;
  /** Message-ID, where the report itself has it. */
  original?: string | undefined;
}

function deliveryReport(files: readonly MailFile[]): ReadReport | undefined {
  const groups = groupsOf(files, /^message\/(?:global-)?delivery-status$/);
  for (const [action, status] of ACTIONS) {
    const found = groups.find((fields) => fields.get('action')?.toLowerCase().startsWith(action));
    if (!found) continue;
    const code = /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(found.get('status') ?? '')?.[0];
    return {
      status,
      recipient: addressOf(found.get('original-recipient') ?? found.get('final-recipient')),
      reason: cut(found.get('diagnostic-code')?.replace(/^[\w-]+;\s*/, '') ?? code),
      code,
      original: groups[0]?.get('x-original-message-id'),
    };
  }
  return undefined;
}

function complaint(files: readonly MailFile[]): ReadReport | undefined {
  const [fields] = groupsOf(files, /^message\/feedback-report$/);
  const type = fields?.get('feedback-type')?.toLowerCase();
  if (!fields || type === undefined) return undefined;
  return {
    status: type === 'not-spam' ? 'not_spam' : 'spamreport',
    recipient: addressOf(fields.get('original-rcpt-to') ?? fields.get('removal-recipient')),
    reason: cut(`reported as ${type}`),
  };
}

function receipt(files: readonly MailFile[]): ReadReport | undefined {
  const [fields] = groupsOf(files, /^message\/(?:global-)?disposition-notification$/);
  const disposition = /;\s*([a-z]{1,30})/i.exec(fields?.get('disposition') ?? '')?.[1]?.toLowerCase();
  if (!fields || disposition === undefined) return undefined;
  return {
    status: disposition === 'displayed' ? 'read' : disposition,
    recipient: addressOf(fields.get('original-recipient') ?? fields.get('final-recipient')),
    original: fields.get('original-message-id'),
  };
}

/** `rfc822; jane@example.com` as `jane@example.com`. */
function addressOf(value: string | undefined): string | undefined {
  return addressIn(value?.replace(/^[\w-]+\s*;/, ''));
}

function cut(text: string | undefined): string | undefined {
  return text?.slice(0, MAX_REASON_LENGTH).trim() || undefined;
}

/** The head of the mail that a report is about. */
function originalHeaders(files: readonly MailFile[]): Fields {
  return (
    groupsOf(files, /^(?:message\/(?:rfc822|global)|text\/rfc822-headers|message\/global-headers)$/)[0] ?? new Map()
  );
}

/** Groups of fields, divided by blank lines. */
function groupsOf(files: readonly MailFile[], type: RegExp): Fields[] {
  const bytes = files.find((file) => type.test(file.type))?.bytes;
  if (!bytes) return [];
  return Buffer.from(bytes.subarray(0, MAX_REPORT_LENGTH))
    .toString('utf8')
    .replaceAll('\r\n', '\n')
    .trimStart()
    .split(/\n[ \t]*\n/)
    .map((group) => new Map(fieldsOf(group)));
}

function fieldsOf(group: string): [string, string][] {
  return group
    .replaceAll(/\n[ \t]+/g, ' ')
    .split('\n')
    .flatMap((line): [string, string][] => {
      const colon = line.indexOf(':');
      return colon <= 0 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]];
    });
}
