import {
  type ContextMessage,
  contextFields,
  isJsonObject,
  type JsonObject,
  type MessageAttachment,
  type MessageMetadata,
  parseJson,
} from '#libs/adapter-sdk';
import { htmlLines } from '../mail/html-lines.js';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';

const FILE = 'application/vnd.microsoft.teams.file.download.info';

/** What a message has beside its text: the message that it answers or passes on, and files. */
export function attachedTo(activity: JsonObject): { text: string; metadata: MessageMetadata } {
  const all = objectsOf(activity.attachments);
  const replied = all.filter(({ contentType }) => contentType === 'messageReference').map(repliedMessage);
  const [forward] = all.filter(({ contentType }) => contentType === 'forwardedMessageReference').map(contentOf);
  const files = all.filter(({ contentType }) => contentType === FILE || isRecorded(contentType)).map(fileOf);
  return {
    text: forward ? forwardedText(forward) : '',
    metadata: {
      ...contextFields(replied),
      ...(forward && { forwarded_from: senderOf(forward.originalMessageSender) }),
      ...(files.length > 0 && { attachments: files }),
    },
  };
}

/** Some contents come as JSON in a text. */
function contentOf({ content }: JsonObject): JsonObject {
  const given = typeof content === 'string' ? parseJson(content) : content;
  return isJsonObject(given) ? given : {};
}

function repliedMessage(attachment: JsonObject): ContextMessage {
  const content = contentOf(attachment);
  const id = textOf(content.messageId) ?? textOf(attachment.id);
  return {
    kind: 'reply',
    message: textOf(content.messagePreview) ?? '',
    sender: senderOf(content.messageSender),
    ...(id !== undefined && { message_id: id }),
  };
}

function senderOf(given: unknown): { id?: string; name?: string } {
  const sender = objectOf(given);
  const someone = objectOf(sender.user ?? sender.application);
  const [id, name] = [textOf(someone.id), textOf(someone.displayName)];
  return { ...(id !== undefined && { id }), ...(name !== undefined && { name }) };
}

function forwardedText(forward: JsonObject): string {
  const { name } = senderOf(forward.originalMessageSender);
  const plain = htmlLines(textOf(forward.originalMessageContent) ?? '')
    .map(({ text }) => text)
    .join('\n')
    .trim();
  return `Forwarded${name === undefined ? '' : ` from ${name}`}:\n${plain.replaceAll(/^/gm, '> ')}`;
}

/** What people paste or record comes with its own type, and no file of theirs. */
function isRecorded(type: unknown): boolean {
  return typeof type === 'string' && /^(?:image|audio|video)\//.test(type);
}

function fileOf({ contentType, contentUrl, name, content }: JsonObject): MessageAttachment {
  const { uniqueId, downloadUrl } = objectOf(content);
  const [ref, shown] = [textOf(downloadUrl) ?? textOf(contentUrl), textOf(name)];
  const id = textOf(uniqueId) ?? ref;
  return {
    ...(id !== undefined && { id }),
    ...(shown !== undefined && { name: shown }),
    ...(ref !== undefined && { fetch_ref: ref }),
    ...(contentType !== FILE && typeof contentType === 'string' && { content_type: contentType }),
  };
}
