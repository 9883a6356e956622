import { ignoredMessage, type JsonObject, type NormalizedMessage, type Self } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { type Hears, notAddressed } from '../hearing/hears.js';
import { parseDeletion, parseEdit } from './parse-change.js';
import { parseMessage } from './parse-message.js';
import { parseReaction } from './parse-reaction.js';
import { botUserId, type EventContext } from './authorship.js';

/** Subtypes that are messages; the others report joins, topics and the like. */
const MESSAGE_SUBTYPES = [undefined, 'file_share', 'me_message', 'thread_broadcast', 'bot_message'];

/** An Events API envelope. Source: https://docs.slack.dev/apis/events-api and the page of each event. */
export function parseEvent(envelope: JsonObject, self: Self | undefined, hears: Hears): NormalizedMessage {
  const event = objectOf(envelope.event);
  const [type, subtype] = [textOf(event.type) ?? 'unknown', textOf(event.subtype)];
  const rawType = subtype === undefined ? type : `${type}.${subtype}`;
  const channel = textOf(event.channel) ?? textOf(objectOf(event.item).channel);
  if (channel === undefined) return ignoredMessage('unknown_event', { raw_type: rawType });
  const context: EventContext = {
    envelope,
    event,
    // An app that is installed for a whole enterprise gets events without a team.
    // In a channel that is shared with others, `team_id` may be theirs.
    team: textOf(envelope.context_team_id) ?? textOf(envelope.team_id) ?? textOf(envelope.enterprise_id) ?? '-',
    channel,
    isDm: event.channel_type === 'im' || channel.startsWith('D'),
    self,
    rawType,
  };
  const parsed = readEvent(type, subtype, context) ?? ignoredMessage('unknown_event', { raw_type: rawType });
  return hears === 'mentions' && !isAddressed(parsed, context) ? notAddressed(parsed) : parsed;
}

/** Whether it is for the bot: to it, naming it, or below a message of it. */
function isAddressed({ metadata, is_dm }: NormalizedMessage, { event, envelope, self }: EventContext): boolean {
  const written = objectOf(event.message ?? event.previous_message ?? event);
  const above = textOf(event.item_user) ?? textOf(written.parent_user_id);
  return (
    is_dm === true || metadata?.mentions_bot === true || (above !== undefined && above === botUserId(envelope, self))
  );
}

function readEvent(type: string, subtype: string | undefined, context: EventContext): NormalizedMessage | undefined {
  if (type === 'reaction_added') return parseReaction(context);
  if (type === 'app_mention') return parseMessage(context);
  if (type !== 'message') return undefined;
  // What a deleted message with answers leaves behind.
  if (subtype === 'message_changed' && objectOf(context.event.message).subtype === 'tombstone') {
    return parseDeletion(context);
  }
  if (subtype === 'message_changed') return parseEdit(context);
  if (subtype === 'message_deleted') return parseDeletion(context);
  return MESSAGE_SUBTYPES.includes(subtype) ? parseMessage(context) : undefined;
}
