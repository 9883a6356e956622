import { ignoredMessage, type JsonObject, type NormalizedMessage, type Self } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { parseDeletion, parseEdit } from './parse-change.js';
import { parseMessage } from './parse-message.js';
import { parseReaction } from './parse-reaction.js';
import type { EventContext } from './authorship.js';

/** Subtypes that are messages; the others report joins, topics and the like. */
const MESSAGE_SUBTYPES = [undefined, 'file_share', 'me_message', 'thread_broadcast', 'bot_message'];

/** An Events API envelope. Source: https://docs.slack.dev/apis/events-api and the page of each event. */
export function parseEvent(envelope: JsonObject, self: Self | undefined): NormalizedMessage {
  const event = objectOf(envelope.event);
  const [type, subtype] = [textOf(event.type) ?? 'unknown', textOf(event.subtype)];
  const rawType = subtype === undefined ? type : `${type}.${subtype}`;
  const channel = textOf(event.channel) ?? textOf(objectOf(event.item).channel);
  if (channel === undefined) return ignoredMessage('unknown_event', { raw_type: rawType });
  const context: EventContext = {
    envelope,
    event,
    // An app that is installed for a whole enterprise gets events without a team.
    team: textOf(envelope.team_id) ?? textOf(envelope.enterprise_id) ?? '-',
    channel,
    isDm: event.channel_type === 'im' || channel.startsWith('D'),
    self,
    rawType,
  };
  return readEvent(type, subtype, context) ?? ignoredMessage('unknown_event', { raw_type: rawType });
}

function readEvent(type: string, subtype: string | undefined, context: EventContext): NormalizedMessage | undefined {
  if (type === 'reaction_added') return parseReaction(context);
  if (type === 'app_mention') return parseMessage(context);
  if (type !== 'message') return undefined;
  if (subtype === 'message_changed') return parseEdit(context);
  if (subtype === 'message_deleted') return parseDeletion(context);
  return MESSAGE_SUBTYPES.includes(subtype) ? parseMessage(context) : undefined;
}
