import {
  ignoredMessage,
  isJsonObject,
  parseJson,
  readActionData,
  type InboundCall,
  type JsonObject,
  type NormalizedMessage,
} from '#libs/adapter-sdk';
import { textOf, objectOf } from '../provider-calls/json-fields.js';
import { botId } from './telegram-api.js';
import { parseBusinessMessage } from './parse-business.js';
import { parseMessage } from './parse-message.js';
import { parseReaction } from './parse-reaction.js';
import { describeChat } from './chat-message.js';
import type { UpdateContext } from './chat-message.js';

type Parse = (content: JsonObject, context: UpdateContext) => NormalizedMessage;

const PARSERS: Record<string, Parse> = {
  message: parseMessage,
  channel_post: parseMessage,
  edited_message: parseMessage,
  edited_channel_post: parseMessage,
  business_message: parseBusinessMessage,
  edited_business_message: parseBusinessMessage,
  callback_query: parseCallback,
  message_reaction: parseReaction,
};

/** An Update; its kind is the field beside `update_id`. Source: https://core.telegram.org/bots/api#update */
export function parseTelegramInbound({ request, credentials, self }: InboundCall): NormalizedMessage {
  const update = parseJson(request.text);
  if (!isJsonObject(update)) return ignoredMessage('unknown_body');
  const id = textOf(update.update_id);
  const kind = Object.keys(update).find((field) => isJsonObject(update[field]));
  const content = kind === undefined ? undefined : update[kind];
  const parse = kind !== undefined && Object.hasOwn(PARSERS, kind) ? PARSERS[kind] : undefined;
  if (kind === undefined || !parse || !isJsonObject(content)) {
    return ignoredMessage('unknown_update', { ...(kind !== undefined && { raw_type: kind }) });
  }
  const bot = botId(credentials, self);
  const parsed = parse(content, { botId: bot, username: textOf(self?.username), rawType: kind });
  return {
    ...parsed,
    ...(id !== undefined && { dedup_key: `telegram:${bot ?? '-'}:${id}` }),
    metadata: { ...parsed.metadata, raw_type: kind, ...(bot !== undefined && { account: bot }) },
  };
}

/** A press of an inline button. Its `message` is the bot's own; `from` is the person who pressed it. */
function parseCallback(callback: JsonObject, { botId }: UpdateContext): NormalizedMessage {
  const data = textOf(callback.data);
  const chat = describeChat(objectOf(callback.message), objectOf(callback.from), botId);
  const id = textOf(callback.id);
  const pressed = id === undefined ? {} : { callback_query_id: id };
  // A game, or a button under an inline result, whose chat the bot does not learn.
  if (data === undefined || chat.metadata.channel_address === undefined) {
    return ignoredMessage('unknown_callback', pressed);
  }
  const { message_id } = chat.metadata;
  const action = readActionData(data);
  return {
    ...chat,
    event_type: 'action',
    message: action.value,
    metadata: {
      ...chat.metadata,
      action: { ...action, ...(message_id !== undefined && { message_id }) },
      ...pressed,
    },
  };
}
