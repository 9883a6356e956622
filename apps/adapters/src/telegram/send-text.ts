import {
  actionData,
  type DeliverCall,
  type DeliverFailure,
  deliverFailure,
  isJsonObject,
  type JsonObject,
  type PartToSend,
  type SentPart,
} from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import { topicOf } from './chat-message.js';
import { orToChat } from './topic-gone.js';
import { callTelegram, type TelegramSettings } from './telegram-api.js';
import { visibleText } from './telegram-html.js';

/** Telegram's answer to an edit that changes nothing: what is to be seen is seen. */
const UNCHANGED = /message is not modified/i;

/**
 * Sends one part of a text. Only the first one changes the message of `edit_of`, or quotes the message that is answered;
 * the last one has the actions.
 */
export async function sendText(
  { credentials, channel_address, message }: DeliverCall,
  { text, index, isLast }: Pick<PartToSend, 'text' | 'index'> & { isLast: boolean },
  settings: TelegramSettings,
): Promise<SentPart | DeliverFailure> {
  const edited = index === 0 ? message.edit_of : undefined;
  if (edited !== undefined && !/^\d{1,15}$/.test(edited)) {
    return deliverFailure('invalid_request', 'message.edit_of must be the number of a message');
  }
  const json = {
    chat_id: channel_address,
    ...businessOf(message.reply_context),
    ...(edited === undefined ? quoteIn(message, index) : { message_id: Number(edited) }),
    // A preview would make Telegram fetch a URL that a model wrote.
    link_preview_options: { is_disabled: true },
    ...(isLast && keyboardOf(message)),
  };
  const topic = edited === undefined ? message.thread_id : undefined;
  return orToChat(topic, (thread) =>
    sendIn({ ...json, ...(thread !== undefined && { message_thread_id: Number(thread) }) }),
  );

  async function sendIn(place: JsonObject): Promise<SentPart | DeliverFailure> {
    if (message.format === 'plain') return send({ ...place, text });
    const rich = await send({ ...place, text, parse_mode: 'HTML' });
    if (!('ok' in rich) || rich.error !== 'invalid_format') return rich;
    // The whole part is refused, so nothing has arrived: the text matters more than its formatting.
    const plain = await send({ ...place, text: visibleText(text) });
    return 'ok' in plain ? plain : { ...plain, fallback: 'plain' };
  }

  async function send(content: JsonObject): Promise<SentPart | DeliverFailure> {
    const method = edited === undefined ? 'sendMessage' : 'editMessageText';
    const answer = await callTelegram(method, { json: content }, credentials, settings);
    if (!answer.ok) {
      const isSame = edited !== undefined && UNCHANGED.test(answer.error_detail?.provider_code ?? '');
      return isSame ? { messageId: edited, threadId: message.thread_id } : answer;
    }
    const messageId = textOf(answer.result.message_id) ?? edited;
    return messageId === undefined
      ? deliverFailure('provider_unavailable', 'Telegram answered without a message_id')
      : { messageId, threadId: topicOf(answer.result) };
  }
}

function quoteIn({ reply_context }: DeliverCall['message'], index: number): JsonObject {
  return index === 0 ? quoteOf(reply_context) : {};
}

/** The connection to a business account, in whose name the bot writes. */
export function businessOf(replyContext: unknown): { business_connection_id?: string } {
  const id = isJsonObject(replyContext) ? textOf(replyContext.business_connection_id) : undefined;
  return id === undefined ? {} : { business_connection_id: id };
}

function quoteOf(replyContext: unknown): JsonObject {
  const id = isJsonObject(replyContext) ? textOf(replyContext.message_id) : undefined;
  if (id === undefined || !/^\d{1,15}$/.test(id)) return {};
  return { reply_parameters: { message_id: Number(id), allow_sending_without_reply: true } };
}

/** One button a row: labels of any length stay readable on a telephone. */
function keyboardOf({ actions = [] }: DeliverCall['message']): JsonObject {
  if (actions.length === 0) return {};
  const rows = actions.map((action) => [{ text: action.label, callback_data: actionData(action) }]);
  return { reply_markup: { inline_keyboard: rows } };
}
