import type { JsonObject, MessageMetadata, NormalizedMessage } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';

/** The context for parsing any update. */
export interface UpdateContext {
  botId: string | undefined;
  /** The bot's name without its `@`. */
  username: string | undefined;
  rawType: string;
}

/**
 * The thread that an answer belongs to: the topic of a forum. Groups that are no forums number reply chains in the same
 * field, and refuse that number in an answer.
 */
export function topicOf(message: JsonObject): string | undefined {
  return message.is_topic_message === true ? textOf(message.message_thread_id) : undefined;
}

/** The chat and the sender of a message: the fields that all kinds of updates have in common. */
export function describeChat(
  message: JsonObject,
  sender: JsonObject,
  bot: string | undefined,
): Pick<NormalizedMessage, 'sender' | 'is_bot' | 'is_dm' | 'thread_id'> & { metadata: MessageMetadata } {
  const chat = objectOf(message.chat);
  const [chatId, messageId, senderId] = [textOf(chat.id), textOf(message.message_id), textOf(sender.id)];
  const isDm = chat.type === 'private';
  const topic = topicOf(message);
  const isSelf = bot !== undefined && senderId === bot;
  const name = personName(sender);
  return {
    sender: senderId ?? 'unknown',
    // Contract 4.2 for messaging bots; also true for the stand-in of a group's anonymous administrators.
    is_bot: sender.is_bot === true || isSelf,
    is_dm: isDm,
    ...(topic !== undefined && { thread_id: topic }),
    metadata: {
      is_self: isSelf,
      ...(chatId !== undefined && { channel_address: chatId }),
      ...(messageId !== undefined && { message_id: messageId }),
      // In a private chat everything answers the last message; a quote would only repeat it.
      ...(messageId !== undefined && !isDm && { reply_context: { message_id: messageId } }),
      ...(senderId !== undefined && { sender: { id: senderId, ...(name !== undefined && { name }) } }),
    },
  };
}

/** The name of a person, or of the channel or group that the message is sent as. */
export function personName(sender: JsonObject): string | undefined {
  const full = [textOf(sender.first_name), textOf(sender.last_name)].filter((part) => part !== undefined).join(' ');
  return textOf(sender.username) ?? textOf(full) ?? textOf(sender.title);
}

/** Unix seconds as RFC 3339; undefined for anything else. */
export function timeOf(seconds: unknown): string | undefined {
  const isTime = typeof seconds === 'number' && seconds >= 0 && seconds < 1e11;
  return isTime ? new Date(seconds * 1000).toISOString() : undefined;
}
