import {
  type AttachedFile,
  attachedFiles,
  type DeliverCall,
  deliverFailure,
  firstPart,
  type DeliverFailure,
  type PartToSend,
  renderMarkdown,
} from '#libs/adapter-sdk';
import { DELIVERY_HEADER, deliveryMark } from './delivery-header.js';
import { isHeaderText } from './header-text.js';
import { mailHtmlDialect, mailTextDialect } from './mail-dialects.js';
import { isMailAddress } from './mail-address.js';
import { boundedReferences, messageIdFor, messageIdsIn } from './message-ids.js';
import { readReplyContext } from './reply-context.js';

/** One mail of a message; a text within the limit is one part. */
export interface MailPart {
  to: string;
  subject: string;
  text: string;
  /** Absent when the message is plain. */
  html?: string;
  messageId: string;
  /** Message-ID of the thread's first mail. */
  threadRoot: string;
  /** Beyond addresses, subject and Message-ID: the thread, `Auto-Submitted` and the delivery's own mark. */
  headers: Record<string, string>;
  /** Only the first part has them. */
  files: AttachedFile[];
  /** Names this part; the same in every attempt. */
  key: string;
}

const MAX_SUBJECT_LENGTH = 998;
const KEY = /^[\x21-\x7e]{1,200}$/;

/** Why the message cannot become mail: among others, anything that would inject a second header or recipient. */
export function mailProblem({ message, channel_address, idempotency_key }: DeliverCall): DeliverFailure | undefined {
  const refuse = (reason: string): DeliverFailure => deliverFailure('invalid_request', reason);
  if (!isMailAddress(channel_address)) return refuse('channel_address must be one mail address without a name');
  if (message.format === 'native') return deliverFailure('unsupported', 'message.format must be markdown or plain');
  const files = attachedFiles({ message });
  if ('ok' in files) return files;
  if (message.text.trim() === '') return refuse('message.text is empty');
  const { subject } = message;
  if (subject !== undefined && (!isHeaderText(subject) || subject.length > MAX_SUBJECT_LENGTH)) {
    return refuse(`message.subject must be one line of at most ${MAX_SUBJECT_LENGTH} characters`);
  }
  if (idempotency_key !== undefined && !KEY.test(idempotency_key)) {
    return refuse('idempotency_key must be visible ASCII, at most 200 characters');
  }
  return undefined;
}

/** One part as a mail, the same in every attempt with the same key. `domain` is the right side of its Message-ID. */
export function mailPart(
  call: Pick<DeliverCall, 'message' | 'channel_address'>,
  part: PartToSend,
  domain: string,
): MailPart {
  const { message, channel_address: to } = call;
  const context = readReplyContext(message.reply_context);
  const thread = boundedReferences([
    ...(context.references ?? []),
    ...messageIdsIn(context.message_id ?? message.thread_id),
  ]);
  const first = messageIdFor(part.key, 0, domain);
  // Later parts answer the first, so that they stay in its thread.
  const references = part.index === 0 ? thread : boundedReferences([...thread, first]);
  const inReplyTo = references.at(-1);
  const subject = message.subject ?? replySubject(context.subject) ?? firstLine(message.text);
  const key = deliveryMark(part.key, part);
  const files = part.index === 0 ? attachedFiles(call) : [];
  return {
    to,
    subject: part.index > 0 ? (replySubject(subject) ?? subject) : subject,
    ...body(unbroken(part.text), message.format ?? 'markdown'),
    messageId: messageIdFor(part.key, part.index, domain),
    threadRoot: thread[0] ?? first,
    headers: {
      ...(inReplyTo !== undefined && { 'In-Reply-To': inReplyTo, References: references.join(' ') }),
      'Auto-Submitted': thread.length > 0 ? 'auto-replied' : 'auto-generated',
      [DELIVERY_HEADER]: key,
    },
    files: 'ok' in files ? [] : files,
    key,
  };
}

function body(text: string, format: string): { text: string; html?: string } {
  if (format === 'plain') return { text };
  return { text: renderMarkdown(text, mailTextDialect).text, html: renderMarkdown(text, mailHtmlDialect).text };
}

/** Nobody is notified by a name in a mail: what keeps `/format` from that elsewhere would stand in code and addresses. */
function unbroken(text: string): string {
  return text.replaceAll('@\u200b', '@');
}

function replySubject(subject: string | undefined): string | undefined {
  if (subject === undefined || subject.trim() === '') return undefined;
  return (/^\s*re\s*:/i.test(subject) ? subject : `Re: ${subject}`).slice(0, MAX_SUBJECT_LENGTH);
}

const MAX_DERIVED_SUBJECT_LENGTH = 78;

function firstLine(text: string): string {
  const [line = ''] = renderMarkdown(unbroken(text.trim().slice(0, 1_000)), mailTextDialect)
    .text.trim()
    .split('\n');
  const printable = line.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  return firstPart(printable, MAX_DERIVED_SUBJECT_LENGTH) || 'Message';
}
