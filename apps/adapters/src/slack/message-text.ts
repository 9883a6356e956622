import type { JsonObject } from '#libs/adapter-sdk';
import { objectsOf, textOf } from '../provider-calls/json-fields.js';
import { blockText } from './block-text.js';

/** A message that somebody passed on, as Slack attaches it. */
export function isForwarded(attachment: JsonObject): boolean {
  return attachment.is_share === true || attachment.is_msg_unfurl === true;
}

/** All that a reader sees of a message, as Slack writes it: its text, else its blocks; and its attachments. */
export function messageText(message: JsonObject): string {
  const own = textOf(message.text) ?? blockText(message.blocks);
  return [own, ...objectsOf(message.attachments).map((attachment) => attachedText(attachment, own))]
    .filter((text) => text.trim() !== '')
    .join('\n\n');
}

/** The message that this one passes on; undefined for any other. */
export function forwardedMessage(message: JsonObject): JsonObject | undefined {
  return objectsOf(message.attachments).find(isForwarded);
}

/** The preview of a link says nothing that its sender said. */
function attachedText(attachment: JsonObject, own: string): string {
  const isPreview = textOf(attachment.from_url) !== undefined || textOf(attachment.original_url) !== undefined;
  if (isForwarded(attachment)) return forwardedText(attachment);
  if (isPreview && own !== '') return '';
  const title = textOf(attachment.title);
  const link = textOf(attachment.title_link);
  const fields = objectsOf(attachment.fields).map(({ title: name, value }) =>
    [textOf(name), textOf(value)].filter((part) => part !== undefined).join(': '),
  );
  const shown = [
    textOf(attachment.pretext),
    title !== undefined && link !== undefined ? `<${link}|${title}>` : title,
    textOf(attachment.text) ?? blockText(attachment.blocks),
    ...fields,
    textOf(attachment.footer),
  ].filter((part) => part !== undefined && part.trim() !== '');
  return shown.length === 0 ? (textOf(attachment.fallback) ?? '') : shown.join('\n');
}

/** Quoted, so that it stands apart from what the sender says about it. */
function forwardedText(attachment: JsonObject): string {
  const written =
    textOf(attachment.text) ??
    objectsOf(attachment.message_blocks)
      .map(({ message }) => blockText(isBlocks(message) ? message.blocks : undefined))
      .join('\n');
  const text = written === '' ? (textOf(attachment.fallback) ?? '') : written;
  const [name, channel] = [textOf(attachment.author_name), textOf(attachment.channel_name)];
  const from = [name, channel === undefined ? undefined : `#${channel}`]
    .filter((part) => part !== undefined)
    .join(' in ');
  return [`Forwarded${from === '' ? '' : ` from ${from}`}:`, text.replaceAll(/^/gm, '> ')].join('\n');
}

function isBlocks(message: unknown): message is { blocks: unknown } {
  return typeof message === 'object' && message !== null && 'blocks' in message;
}
