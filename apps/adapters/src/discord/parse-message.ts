import {
  type ContextMessage,
  contextFields,
  ignoredMessage,
  type InboundCall,
  type JsonObject,
  type NormalizedMessage,
} from '#libs/adapter-sdk';
import { heard } from '../hearing/hears.js';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';
import { attachmentsOf, forwardedMessage, messageText, personName } from './message-text.js';

type Call = Pick<InboundCall, 'credentials' | 'self'>;

/** Written by a person, as a message or as an answer; the others report joins, pins and the like. */
const WRITTEN = [0, 19, 20, 23];
const ID = /^\d{5,20}$/;

/** An event of the Gateway. Source: https://docs.discord.com/developers/events/gateway-events */
export function parseGatewayEvent(name: string, data: JsonObject, call: Call): NormalizedMessage {
  const bot = botId(call);
  const parsed =
    name === 'MESSAGE_REACTION_ADD' ? parseReaction(data, bot) : parseMessage(data, name === 'MESSAGE_UPDATE', bot);
  const isForBot = parsed.metadata?.mentions_bot === true || textOf(data.message_author_id) === bot;
  return heard(parsed, call.credentials, isForBot);
}

/** The bot user: the one that `/verify` found, else the one that the token begins with. */
function botId({ credentials, self }: Call): string | undefined {
  if (self?.id !== undefined) return self.id;
  const [first = ''] = (textOf(credentials.token) ?? '').split('.');
  const id = Buffer.from(first, 'base64').toString('latin1');
  return ID.test(id) ? id : undefined;
}

function parseMessage(message: JsonObject, isEdit: boolean, bot: string | undefined): NormalizedMessage {
  const [author, raw_type] = [objectOf(message.author), isEdit ? 'message_edit' : 'message'];
  const [id, sender, channel] = [message.id, author.id, message.channel_id].map(textOf);
  if (id === undefined || sender === undefined || channel === undefined) {
    return ignoredMessage('unknown_event', { raw_type });
  }
  const described = describe({ data: message, user: author, channel, raw_type, bot });
  const [text, attachments, guild] = [messageText(message), attachmentsOf(message), textOf(message.guild_id)];
  const why = WRITTEN.includes(Number(message.type ?? 0)) ? 'no_text' : 'system_message';
  if (why === 'system_message' || (text === '' && attachments.length === 0)) {
    return { ...ignoredMessage(why, described.metadata), is_bot: described.is_bot };
  }
  const mentions = objectsOf(message.mentions).map((user) => ({ id: textOf(user.id), name: personName(user) }));
  const answered = objectOf(message.referenced_message);
  const isMention =
    bot !== undefined && (mentions.some((user) => user.id === bot) || textOf(objectOf(answered.author).id) === bot);
  const edited = textOf(message.edited_timestamp) ?? '-';
  const timestamp = textOf(isEdit ? message.edited_timestamp : message.timestamp);
  const forwarded = forwardedMessage(message);
  return {
    ...described,
    event_type: isEdit ? 'message_edited' : isMention && guild !== undefined ? 'mention' : 'message_received',
    message: text,
    dedup_key: isEdit ? `discord:${id}:edited:${edited}` : `discord:${id}`,
    metadata: {
      ...described.metadata,
      message_id: id,
      mentions_bot: isMention,
      ...(timestamp !== undefined && { timestamp: new Date(timestamp).toISOString() }),
      ...(attachments.length > 0 && { attachments }),
      ...(mentions.length > 0 && { mentions }),
      ...(forwarded && { forwarded_from: sourceOf(message, forwarded) }),
      ...contextFields(message.referenced_message ? [answeredBy(answered, bot)] : []),
      // Where several people write, an answer says to what.
      ...(guild !== undefined && !isEdit && { reply_context: { message_id: id } }),
    },
  };
}

function parseReaction(data: JsonObject, bot: string | undefined): NormalizedMessage {
  const raw_type = 'reaction';
  const [user, channel, message] = [data.user_id, data.channel_id, data.message_id].map(textOf);
  const emoji = objectOf(data.emoji);
  const [name, emojiId] = [textOf(emoji.name), textOf(emoji.id)];
  if (user === undefined || channel === undefined || message === undefined || name === undefined) {
    return ignoredMessage('unknown_event', { raw_type });
  }
  const member = objectOf(data.member);
  const described = describe({
    data,
    user: { ...objectOf(member.user), id: user },
    channel,
    raw_type,
    bot,
  });
  return {
    ...described,
    event_type: 'reaction_added',
    message: emojiId === undefined ? name : `:${name}:`,
    dedup_key: `discord:${message}:reaction:${emojiId ?? name}:${user}`,
    metadata: { ...described.metadata, message_id: message },
  };
}

/** The fields that all of them have. */
function describe(of: {
  data: JsonObject;
  user: JsonObject;
  channel: string;
  raw_type: string;
  bot: string | undefined;
}): Omit<NormalizedMessage, 'event_type'> & { metadata: object } {
  const { data, user, channel, raw_type, bot } = of;
  const [sender, guild] = [textOf(user.id) ?? 'unknown', textOf(data.guild_id)];
  const name = personName(user, objectOf(data.member));
  const isSelf = bot !== undefined && sender === bot;
  const isBot = user.bot === true || textOf(data.webhook_id) !== undefined;
  return {
    sender,
    message: '',
    // Contract 4.2 for messaging bots, as at Slack and Telegram.
    is_bot: isSelf || isBot,
    is_dm: guild === undefined,
    metadata: {
      is_self: isSelf,
      raw_type,
      sender: { id: sender, ...(name !== undefined && { name }) },
      channel_address: channel,
      ...(guild !== undefined && { account: guild }),
    },
  };
}

function sourceOf(message: JsonObject, forwarded: JsonObject): { channel?: string; timestamp?: string } {
  const [channel, timestamp] = [textOf(objectOf(message.message_reference).channel_id), textOf(forwarded.timestamp)];
  return {
    ...(channel !== undefined && { channel }),
    ...(timestamp !== undefined && { timestamp: new Date(timestamp).toISOString() }),
  };
}

/** The message that this one answers. */
function answeredBy(answered: JsonObject, bot: string | undefined): ContextMessage {
  const author = objectOf(answered.author);
  const [id, from, name, timestamp] = [textOf(answered.id), textOf(author.id), personName(author), answered.timestamp];
  const files = attachmentsOf(answered).map((file) => `[${file.name ?? 'file'}]`);
  const text = messageText(answered);
  return {
    kind: 'reply',
    message: text === '' ? files.join(' ') : text,
    sender: { ...(from !== undefined && { id: from }), ...(name !== undefined && { name }) },
    ...(id !== undefined && { message_id: id }),
    ...(typeof timestamp === 'string' && { timestamp: new Date(timestamp).toISOString() }),
    ...(bot !== undefined && from === bot && { is_self: true }),
  };
}
