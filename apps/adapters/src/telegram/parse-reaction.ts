import { ignoredMessage, type JsonObject, type NormalizedMessage } from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';
import { describeChat, timeOf, type UpdateContext } from './chat-message.js';

/** A change of one person's reactions to a message; removed ones are ignored. */
export function parseReaction(reaction: JsonObject, { botId }: UpdateContext): NormalizedMessage {
  const before = emojiOf(reaction.old_reaction);
  const added = emojiOf(reaction.new_reaction).filter((emoji) => !before.includes(emoji));
  if (added.length === 0) return ignoredMessage('reaction_removed');
  const sender = reaction.user === undefined ? objectOf(reaction.actor_chat) : objectOf(reaction.user);
  const chat = describeChat(reaction, sender, botId);
  const timestamp = timeOf(reaction.date);
  return {
    ...chat,
    event_type: 'reaction_added',
    message: added.join(' '),
    metadata: { ...chat.metadata, ...(timestamp !== undefined && { timestamp }) },
  };
}

function emojiOf(reactions: unknown): string[] {
  return objectsOf(reactions)
    .map(({ emoji, custom_emoji_id }) => textOf(emoji) ?? textOf(custom_emoji_id))
    .filter((emoji) => emoji !== undefined);
}
