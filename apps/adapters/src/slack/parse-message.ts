import {
  ignoredMessage,
  type JsonObject,
  type MessageAttachment,
  type MessageMetadata,
  type NormalizedMessage,
} from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';
import { botUserId, isBotMessage, isOwnMessage, type EventContext } from './authorship.js';
import { messageKey, replyThread, timeOf } from './message-address.js';
import { forwardedMessage, messageText } from './message-text.js';

/**
 * A message. If it names the bot, its `app_mention` and its `message` twin come in any order and are one message: both
 * give the same key and the same type.
 */
export function parseMessage(context: EventContext): NormalizedMessage {
  const { event, team, channel, isDm } = context;
  const ts = textOf(event.ts);
  if (ts === undefined) return ignoredMessage('no_timestamp', { raw_type: context.rawType });
  if (isNobody(event)) return { ...ignoredMessage('slackbot', { raw_type: context.rawType }), is_bot: true };
  const mentioned = mentionsBot(event, context);
  return {
    ...describeMessage(event, ts, context),
    event_type: mentioned && !isDm ? 'mention' : 'message_received',
    dedup_key: messageKey(team, channel, ts),
  };
}

/** Slack itself: what it says is written by nobody, and is not answered. */
export function isNobody(message: JsonObject): boolean {
  return message.user === 'USLACKBOT' || message.subtype === 'tombstone';
}

/** The fields that a message and its edit have in common. `message` has the author and the text. */
export function describeMessage(message: JsonObject, ts: string, context: EventContext): NormalizedMessage {
  const { channel, isDm, envelope, self } = context;
  const isSelf = isOwnMessage(message, envelope, self);
  const sender = textOf(message.user) ?? textOf(message.bot_id) ?? 'unknown';
  const name = textOf(objectOf(message.bot_profile).name) ?? textOf(message.username);
  const thread = replyThread(message, ts, isDm);
  const timestamp = timeOf(ts);
  const forwarded = forwardedMessage(message);
  const files = [...objectsOf(message.files), ...objectsOf(forwarded?.files)];
  const attachments = files.map(attachmentOf);
  const team = textOf(message.user_team) ?? textOf(message.source_team) ?? textOf(message.team);
  const isOutside = team !== undefined && context.team !== '-' && team !== context.team;
  return {
    event_type: 'message_received',
    sender,
    message: messageText(message),
    is_bot: isSelf || isBotMessage(message),
    is_dm: isDm,
    ...(thread !== undefined && { thread_id: thread }),
    metadata: {
      account: context.team,
      channel_address: channel,
      message_id: ts,
      is_self: isSelf,
      mentions_bot: mentionsBot(message, context),
      raw_type: context.rawType,
      sender: { id: sender, ...(name !== undefined && { name }), ...(isOutside && { team }) },
      ...(timestamp !== undefined && { timestamp }),
      ...(attachments.length > 0 && { attachments }),
      ...(isOutside && { external: true }),
      ...(forwarded && { forwarded_from: sourceOf(forwarded) }),
    },
  };
}

function mentionsBot(message: JsonObject, { envelope, event, self }: EventContext): boolean {
  if (event.type === 'app_mention') return true;
  const bot = botUserId(envelope, self);
  const text = messageText(message);
  return bot !== undefined && (text.includes(`<@${bot}>`) || text.includes(`<@${bot}|`));
}

function sourceOf(forwarded: JsonObject): NonNullable<MessageMetadata['forwarded_from']> {
  const [id, name, channel] = [forwarded.author_id, forwarded.author_name, forwarded.channel_id].map(textOf);
  const timestamp = timeOf(textOf(forwarded.ts) ?? '');
  return {
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(channel !== undefined && { channel }),
    ...(timestamp !== undefined && { timestamp }),
  };
}

function attachmentOf(file: JsonObject): MessageAttachment {
  const [id, name, contentType] = [textOf(file.id), textOf(file.name), textOf(file.mimetype)];
  const fetchRef = textOf(file.url_private_download) ?? textOf(file.url_private) ?? id;
  return {
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(contentType !== undefined && { content_type: contentType }),
    ...(typeof file.size === 'number' && { size: file.size }),
    ...(fetchRef !== undefined && { fetch_ref: fetchRef }),
  };
}
