import { ignoredMessage, type NormalizedMessage } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { messageKey } from './message-address.js';
import { describeMessage, isNobody } from './parse-message.js';
import type { EventContext } from './authorship.js';

/**
 * An edit. The event itself has no author: author and new text are in `event.message`. Slack sends the same event when
 * it unfurls a link or a thread grows, with the text unchanged.
 */
export function parseEdit(context: EventContext): NormalizedMessage {
  const message = objectOf(context.event.message);
  const previous = objectOf(context.event.previous_message);
  const ts = textOf(message.ts);
  if (ts === undefined) return ignoredMessage('no_timestamp', { raw_type: context.rawType });
  if (isNobody(message)) return { ...ignoredMessage('slackbot', { raw_type: context.rawType }), is_bot: true };
  const described = describeMessage(message, ts, context);
  if (textOf(message.text) === textOf(previous.text)) {
    const { is_bot, metadata } = described;
    return { ...ignoredMessage('text_unchanged', metadata), is_bot };
  }
  const editedAt = textOf(objectOf(message.edited).ts) ?? textOf(context.event.ts) ?? '-';
  return {
    ...described,
    event_type: 'message_edited',
    dedup_key: messageKey(context.team, context.channel, ts, 'edited', editedAt),
  };
}

/** A deletion. The deleted text is not passed on; its author decides whether the deletion is the bot's own. */
export function parseDeletion(context: EventContext): NormalizedMessage {
  const previous = objectOf(context.event.previous_message);
  const ts = textOf(context.event.deleted_ts) ?? textOf(previous.ts) ?? textOf(objectOf(context.event.message).ts);
  if (ts === undefined) return ignoredMessage('no_timestamp', { raw_type: context.rawType });
  const described = describeMessage({ ...previous, text: '', blocks: [], attachments: [], files: [] }, ts, context);
  return {
    ...described,
    event_type: 'message_deleted',
    dedup_key: messageKey(context.team, context.channel, ts, 'deleted'),
  };
}
