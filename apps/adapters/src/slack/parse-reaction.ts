import { ignoredMessage, type NormalizedMessage } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { isOwnMessage, type EventContext } from './authorship.js';
import { messageKey, timeOf } from './message-address.js';

/** An emoji on a message. Its thread is that message: an answer to a reaction belongs below it. */
export function parseReaction(context: EventContext): NormalizedMessage {
  const { event, envelope, self, team, channel, isDm } = context;
  const [ts, user, reaction] = [textOf(objectOf(event.item).ts), textOf(event.user), textOf(event.reaction)];
  if (ts === undefined || user === undefined || reaction === undefined) {
    return ignoredMessage('unknown_event', { raw_type: context.rawType });
  }
  const isSelf = isOwnMessage({ user }, envelope, self);
  const eventTs = textOf(event.event_ts) ?? '-';
  const timestamp = timeOf(eventTs);
  return {
    event_type: 'reaction_added',
    sender: user,
    message: `:${reaction}:`,
    is_bot: isSelf,
    is_dm: isDm,
    ...(!isDm && { thread_id: ts }),
    dedup_key: messageKey(team, channel, ts, 'reaction', reaction, user, eventTs),
    metadata: {
      account: team,
      channel_address: channel,
      message_id: ts,
      is_self: isSelf,
      sender: { id: user },
      raw_type: context.rawType,
      ...(timestamp !== undefined && { timestamp }),
    },
  };
}
