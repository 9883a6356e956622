import { ignoredMessage, type JsonObject, type NormalizedMessage } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import type { UpdateContext } from './chat-message.js';
import { parseMessage } from './parse-message.js';

/**
 * A message in a private chat of a business account that the bot is connected to. It is answered over that connection.
 * Source: https://core.telegram.org/bots/api#businessconnection
 */
export function parseBusinessMessage(message: JsonObject, context: UpdateContext): NormalizedMessage {
  const [connection, chat] = [textOf(message.business_connection_id), textOf(objectOf(message.chat).id)];
  const written = parseMessage(message, context);
  const bot = textOf(objectOf(message.sender_business_bot).id);
  const isSelf = bot !== undefined && bot === context.botId;
  const place = { ...objectOf(written.metadata?.reply_context), business_connection_id: connection };
  const metadata = {
    ...written.metadata,
    is_self: isSelf,
    ...(connection !== undefined && { business_connection_id: connection, reply_context: place }),
  };
  if (bot !== undefined) return { ...written, is_bot: true, metadata };
  // The chat is named after the customer; whoever else writes in it is the owner.
  const isOwner = textOf(objectOf(message.from).id) !== chat;
  return isOwner ? ignoredMessage('owner_of_business_account', metadata) : { ...written, metadata };
}
