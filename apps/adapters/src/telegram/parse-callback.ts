import { ignoredMessage, type JsonObject, type NormalizedMessage } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { describeChat } from './chat-message.js';
import type { UpdateContext } from './parse-inbound.js';

/** A press of an inline button. Its `message` is the bot's own; who pressed stands in `from`. */
export function parseCallback(callback: JsonObject, { botId }: UpdateContext): NormalizedMessage {
  const data = textOf(callback.data);
  const chat = describeChat(objectOf(callback.message), objectOf(callback.from), botId);
  // A game, or a button under an inline result, whose chat a bot is not told.
  if (data === undefined || chat.metadata.channel_address === undefined) return ignoredMessage('unknown_callback');
  const id = textOf(callback.id);
  return {
    ...chat,
    event_type: 'action',
    message: data,
    metadata: { ...chat.metadata, ...(id !== undefined && { callback_query_id: id }) },
  };
}
