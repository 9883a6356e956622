import { ignoredMessage, type JsonObject, type NormalizedMessage } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { describeChat, personName, timeOf, type UpdateContext } from './chat-message.js';
import { attachmentsOf, contentOf, detailsOf, entitiesOf } from './message-content.js';
import { answeredBy, forwardedFrom } from './reply-and-forward.js';

/** A message or a channel post, new or edited. Without text and files it reports joins, pins and the like. */
export function parseMessage(message: JsonObject, context: UpdateContext): NormalizedMessage {
  const sender = message.from === undefined ? objectOf(message.sender_chat) : objectOf(message.from);
  const chat = describeChat(message, sender, context.botId);
  const text = contentOf(message);
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
  const forwarded = forwardedFrom(message);
  const mentions = mentionsOf(message);
  const album = textOf(message.media_group_id);
  const topic = textOf(objectOf(objectOf(message.reply_to_message).forum_topic_created).name);
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
      ...(forwarded && { forwarded_from: forwarded }),
      ...(mentions.length > 0 && { mentions }),
      ...(album !== undefined && { album_id: album }),
      ...(topic !== undefined && { topic_name: topic }),
      ...answeredBy(message, context.botId),
      ...detailsOf(message),
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
  const first = entitiesOf(message).find(({ type, offset }) => type === 'bot_command' && offset === 0);
  if (!first) return undefined;
  const written = entityText(message, first);
  const [name = '', bot] = written.split('@', 2);
  return { name, bot };
}

function mentionsBot(message: JsonObject, { botId, username }: UpdateContext): boolean {
  const answered = textOf(objectOf(objectOf(message.reply_to_message).from).id);
  if (botId !== undefined && answered === botId) return true;
  return entitiesOf(message).some((entity) => {
    if (entity.type === 'text_mention') return botId !== undefined && textOf(objectOf(entity.user).id) === botId;
    return entity.type === 'mention' && username !== undefined && same(entityText(message, entity), `@${username}`);
  });
}

/** People who are named without a public name: only the update says who they are. */
function mentionsOf(message: JsonObject): JsonObject[] {
  return entitiesOf(message)
    .filter(({ type }) => type === 'text_mention')
    .map(({ user }) => ({ id: textOf(objectOf(user).id), name: personName(objectOf(user)) }));
}

/** Offsets are in UTF-16 code units, like those of a string. */
function entityText(message: JsonObject, { offset, length }: JsonObject): string {
  const text = textOf(message.text) ?? textOf(message.caption) ?? '';
  return typeof offset === 'number' && typeof length === 'number' ? text.slice(offset, offset + length) : '';
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
