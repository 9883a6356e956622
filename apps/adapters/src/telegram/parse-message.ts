import { ignoredMessage, type JsonObject, type NormalizedMessage, type MessageAttachment } from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';
import { describeChat, timeOf, type UpdateContext } from './chat-message.js';

const SINGLE = ['document', 'audio', 'video', 'voice', 'video_note', 'animation', 'sticker'] as const;

/** A message or a channel post, new or edited. Without text and files it reports joins, pins and the like. */
export function parseMessage(message: JsonObject, context: UpdateContext): NormalizedMessage {
  const sender = message.from === undefined ? objectOf(message.sender_chat) : objectOf(message.from);
  const chat = describeChat(message, sender, context.botId);
  const text = textOf(message.text) ?? textOf(message.caption);
  const attachments = attachmentsOf(message);
  if (text === undefined && attachments.length === 0) {
    return { ...ignoredMessage('no_text', chat.metadata), is_bot: chat.is_bot };
  }
  const command = commandOf(message);
  const isForOther =
    command?.bot !== undefined && context.username !== undefined && !same(command.bot, context.username);
  if (isForOther) return { ...ignoredMessage('command_for_another_bot', chat.metadata), is_bot: chat.is_bot };

  const mentioned = mentionsBot(message, context);
  const isEdit = context.rawType.startsWith('edited_');
  const timestamp = timeOf(isEdit ? message.edit_date : message.date);
  return {
    ...chat,
    event_type: eventType(isEdit, command !== undefined, mentioned && chat.is_dm !== true),
    message: text ?? '',
    metadata: {
      ...chat.metadata,
      mentions_bot: mentioned,
      ...(timestamp !== undefined && { timestamp }),
      ...(command !== undefined && { command: command.name }),
      ...(attachments.length > 0 && { attachments }),
    },
  };
}

function eventType(isEdit: boolean, isCommand: boolean, isMention: boolean): string {
  if (isEdit) return 'message_edited';
  if (isCommand) return 'command';
  return isMention ? 'mention' : 'message_received';
}

/** A command at the very start: `/name`, or `/name@bot` where several bots listen. */
function commandOf(message: JsonObject): { name: string; bot: string | undefined } | undefined {
  const first = entities(message).find(({ type, offset }) => type === 'bot_command' && offset === 0);
  if (!first) return undefined;
  const written = entityText(message, first);
  const [name = '', bot] = written.split('@', 2);
  return { name, bot };
}

function mentionsBot(message: JsonObject, { botId, username }: UpdateContext): boolean {
  const answered = textOf(objectOf(objectOf(message.reply_to_message).from).id);
  if (botId !== undefined && answered === botId) return true;
  return entities(message).some((entity) => {
    if (entity.type === 'text_mention') return botId !== undefined && textOf(objectOf(entity.user).id) === botId;
    return entity.type === 'mention' && username !== undefined && same(entityText(message, entity), `@${username}`);
  });
}

function entities(message: JsonObject): JsonObject[] {
  return objectsOf(message.entities ?? message.caption_entities);
}

/** Offsets are in UTF-16 code units, like those of a string. */
function entityText(message: JsonObject, { offset, length }: JsonObject): string {
  const text = textOf(message.text) ?? textOf(message.caption) ?? '';
  return typeof offset === 'number' && typeof length === 'number' ? text.slice(offset, offset + length) : '';
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/**
 * The files of a message, each by the `file_id` that `getFile` takes. A photo comes in several sizes; the last is the
 * largest.
 */
function attachmentsOf(message: JsonObject): MessageAttachment[] {
  const photo = objectsOf(message.photo).at(-1);
  // An animation is repeated as a document, for clients older than animations.
  const kinds = SINGLE.filter((kind) => !(kind === 'document' && message.animation !== undefined));
  const files = kinds.map((kind) => ({ kind: String(kind), file: objectOf(message[kind]) }));
  return [...files, { kind: 'photo', file: photo ?? {} }]
    .filter(({ file }) => textOf(file.file_id) !== undefined)
    .map(({ kind, file }) => describe(kind, file));
}

function describe(kind: string, file: JsonObject): MessageAttachment {
  const id = textOf(file.file_id) ?? '';
  const contentType = textOf(file.mime_type) ?? (kind === 'photo' ? 'image/jpeg' : undefined);
  return {
    id: textOf(file.file_unique_id) ?? id,
    name: textOf(file.file_name) ?? kind,
    fetch_ref: id,
    ...(contentType !== undefined && { content_type: contentType }),
    ...(typeof file.file_size === 'number' && { size: file.file_size }),
  };
}
