import { type ContextMessage, contextFields, type JsonObject, type MessageMetadata } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { personName, timeOf } from './chat-message.js';
import { attachmentsOf, contentOf } from './message-content.js';

type Person = NonNullable<ContextMessage['sender']>;

/** The message that this one answers: the part that is quoted, else all of it. */
export function answeredBy(message: JsonObject, bot: string | undefined): ReturnType<typeof contextFields> {
  const [replied, external] = [objectOf(message.reply_to_message), objectOf(message.external_reply)];
  const quote = textOf(objectOf(message.quote).text);
  if (message.external_reply !== undefined) {
    const { id, name, timestamp } = sourceOf(external.origin);
    const sender = { ...(id !== undefined && { id }), ...(name !== undefined && { name }) };
    return contextFields([entry({ message: external, text: quote, sender, timestamp, bot })]);
  }
  if (message.reply_to_message === undefined || opensTopic(message, replied)) return {};
  const from = replied.from === undefined ? objectOf(replied.sender_chat) : objectOf(replied.from);
  return contextFields([
    entry({ message: replied, text: quote, sender: personOf(from), timestamp: timeOf(replied.date), bot }),
  ]);
}

/** In a topic each message answers the one that opened it, unless it answers another one. */
function opensTopic(message: JsonObject, replied: JsonObject): boolean {
  if (replied.forum_topic_created !== undefined) return true;
  return message.is_topic_message === true && textOf(replied.message_id) === textOf(message.message_thread_id);
}

function entry(of: {
  message: JsonObject;
  text: string | undefined;
  sender: Person;
  timestamp: string | undefined;
  bot: string | undefined;
}): ContextMessage {
  const { message, sender, timestamp } = of;
  const files = attachmentsOf(message).map(({ name }) => `[${name ?? 'file'}]`);
  const id = textOf(message.message_id);
  return {
    kind: 'reply',
    message: of.text ?? contentOf(message) ?? files.join(' '),
    sender,
    ...(id !== undefined && { message_id: id }),
    ...(timestamp !== undefined && { timestamp }),
    ...(of.bot !== undefined && sender.id === of.bot && { is_self: true }),
  };
}

/** Whose message was passed on; undefined for one that was not. */
export function forwardedFrom(message: JsonObject): MessageMetadata['forwarded_from'] {
  return message.forward_origin === undefined ? undefined : sourceOf(message.forward_origin);
}

/** A MessageOrigin: a person, one who hides, a group or a channel. */
function sourceOf(given: unknown): NonNullable<MessageMetadata['forwarded_from']> {
  const origin = objectOf(given);
  const chat = origin.chat ?? origin.sender_chat;
  const hidden = textOf(origin.sender_user_name);
  const [timestamp, channel] = [timeOf(origin.date), textOf(objectOf(chat).id)];
  return {
    ...(hidden === undefined ? personOf(objectOf(origin.sender_user ?? chat)) : { name: hidden }),
    ...(channel !== undefined && { channel }),
    ...(timestamp !== undefined && { timestamp }),
  };
}

function personOf(person: JsonObject): Person {
  const [id, name] = [textOf(person.id), personName(person)];
  return { ...(id !== undefined && { id }), ...(name !== undefined && { name }) };
}
