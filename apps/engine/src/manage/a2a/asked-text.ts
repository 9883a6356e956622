import type { Message, Part } from '@a2a-js/sdk';
import { ContentTypeNotSupportedError, RequestMalformedError } from '@a2a-js/sdk/errors';
import { sanitizeFileName } from '#libs/sanitizer';

/** Files that are text: what they say is read, as part of the message. */
const textual = /^(?:text\/[\w.+-]+|application\/(?:json|xml|yaml|csv|[\w.-]+\+(?:json|xml)))$/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The text of a message: its parts of text and data, and its files of text, in their order.
 * @throws A2AError for other files, and for no parts
 */
export function askedText({ parts }: Message): string {
  if (parts.length === 0) throw new RequestMalformedError('message.parts is empty: put the text into it.');
  return parts.map(textOf).join('\n\n');
}

function textOf({ content, filename, mediaType }: Part): string {
  if (content?.$case === 'text') return content.value;
  if (content?.$case === 'data') return JSON.stringify(content.value ?? null);
  const type = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (content?.$case !== 'raw' || !textual.test(type)) {
    throw new ContentTypeNotSupportedError(
      'Of files only those of text are taken, in the part itself (raw) and with their mediaType: send parts with text, data or such files.',
    );
  }
  try {
    return `File ${sanitizeFileName(filename).name} (${type}):\n${utf8.decode(content.value)}`;
  } catch {
    throw new RequestMalformedError(`The file ${sanitizeFileName(filename).name} is no text in UTF-8.`);
  }
}
