import { isJsonObject, REPLY_CONTEXT_MAX_BYTES } from '#libs/adapter-sdk';
import { isHeaderText } from './header-text.js';
import { boundedReferences, messageIdsIn } from './message-ids.js';

/** What a reply has to continue, kept by the platform between `/parse-inbound` and `/deliver`. */
export interface ReplyContext {
  /** Message-ID of the mail that is answered. */
  message_id?: string;
  /** Message-IDs of the thread before it, oldest first. */
  references?: string[];
  subject?: string;
}

const MAX_SUBJECT_LENGTH = 500;

/** The context for a mail's reply; references are dropped first when it would exceed what the platform stores. */
export function replyContextOf(mail: {
  messageId: string | undefined;
  references: string[];
  subject: string | undefined;
}): ReplyContext {
  const [messageId] = messageIdsIn(mail.messageId);
  const references = boundedReferences(mail.references);
  const context: ReplyContext = {
    ...(messageId !== undefined && { message_id: messageId }),
    ...(references.length > 0 && { references }),
    ...(mail.subject && { subject: mail.subject.slice(0, MAX_SUBJECT_LENGTH) }),
  };
  while (context.references && Buffer.byteLength(JSON.stringify(context)) > REPLY_CONTEXT_MAX_BYTES) {
    context.references = context.references.slice(1);
  }
  return context;
}

/** Reads a context back. It went through the platform, so whatever `replyContextOf` does not write is dropped. */
export function readReplyContext(value: unknown): ReplyContext {
  if (!isJsonObject(value)) return {};
  const [messageId] = typeof value.message_id === 'string' ? messageIdsIn(value.message_id) : [];
  const given: unknown[] = Array.isArray(value.references) ? value.references : [];
  const references = given.flatMap((entry) => (typeof entry === 'string' ? messageIdsIn(entry) : []));
  const { subject } = value;
  return {
    ...(messageId !== undefined && { message_id: messageId }),
    ...(references.length > 0 && { references: boundedReferences(references) }),
    ...(typeof subject === 'string' && isHeaderText(subject) && { subject: subject.slice(0, MAX_SUBJECT_LENGTH) }),
  };
}
