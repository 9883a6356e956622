import {
  attachedFiles,
  type DeliverCall,
  type DeliverFailure,
  deliverFailure,
  deliverParts,
  type DeliverResponse,
  isJsonObject,
  type JsonObject,
  type PartToSend,
  type SentPart,
  type AttachedFile,
} from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import { topicOf } from './chat-message.js';
import { partsToSend } from './format-message.js';
import { callTelegram, type TelegramSettings } from './telegram-api.js';
import { visibleText } from './telegram-html.js';
import { TELEGRAM_MAX_LENGTH } from './telegram.manifest.js';

/** A chat's id, or the public name of a channel. */
const ADDRESS = /^(?:-?\d{1,20}|@[A-Za-z]\w{3,63})$/;

/**
 * Sends the message, a long one in parts, and each of its files as a part after them. Only the first part quotes the
 * message that is answered.
 */
export async function deliverMessage(call: DeliverCall, settings: TelegramSettings): Promise<DeliverResponse> {
  const { message, channel_address } = call;
  const files = attachedFiles(call);
  if ('ok' in files) return files;
  if (message.text.trim() === '' && files.length === 0)
    return deliverFailure('invalid_request', 'message.text is empty');
  if (!ADDRESS.test(channel_address)) {
    return deliverFailure('invalid_request', 'channel_address must be a chat id or a @channel');
  }
  if (message.thread_id !== undefined && !/^\d{1,15}$/.test(message.thread_id)) {
    return deliverFailure('invalid_request', 'message.thread_id must be the number of a topic');
  }
  const texts = message.text.trim() === '' ? [] : partsToSend(message, TELEGRAM_MAX_LENGTH);
  if (texts.length === 0 && files.length === 0)
    return deliverFailure('invalid_request', 'message.text has no visible text');
  const parts = [...texts, ...files.map(({ name }) => name)];
  return deliverParts(call, parts, (part) => {
    const file = files[part.index - texts.length];
    return file ? sendFile(call, file, settings) : sendPart(call, part, settings);
  });
}

async function sendPart(
  { credentials, channel_address, message }: DeliverCall,
  { text, index }: PartToSend,
  settings: TelegramSettings,
): Promise<SentPart | DeliverFailure> {
  const json = {
    chat_id: channel_address,
    ...(message.thread_id !== undefined && { message_thread_id: Number(message.thread_id) }),
    ...(index === 0 && quoteOf(message.reply_context)),
    // A preview would make Telegram fetch a URL that a model wrote.
    link_preview_options: { is_disabled: true },
  };
  if (message.format === 'plain') return send({ ...json, text });
  const rich = await send({ ...json, text, parse_mode: 'HTML' });
  if (!('ok' in rich) || rich.error !== 'invalid_format') return rich;
  // The whole part is refused, so nothing has arrived: the text matters more than its formatting.
  const plain = await send({ ...json, text: visibleText(text) });
  return 'ok' in plain ? plain : { ...plain, fallback: 'plain' };

  async function send(content: JsonObject): Promise<SentPart | DeliverFailure> {
    const answer = await callTelegram('sendMessage', { json: content }, credentials, settings);
    if (!answer.ok) return answer;
    const messageId = textOf(answer.result.message_id);
    return messageId === undefined
      ? deliverFailure('provider_unavailable', 'Telegram answered without a message_id')
      : { messageId, threadId: topicOf(answer.result) };
  }
}

function quoteOf(replyContext: unknown): JsonObject {
  const id = isJsonObject(replyContext) ? textOf(replyContext.message_id) : undefined;
  if (id === undefined || !/^\d{1,15}$/.test(id)) return {};
  return { reply_parameters: { message_id: Number(id), allow_sending_without_reply: true } };
}

/** Sends one file with `sendDocument`, which leaves a picture as it is. */
async function sendFile(
  { credentials, channel_address, message }: DeliverCall,
  file: AttachedFile,
  settings: TelegramSettings,
): Promise<SentPart | DeliverFailure> {
  const fields = {
    chat_id: channel_address,
    ...(message.thread_id !== undefined && { message_thread_id: message.thread_id }),
  };
  const form = { fields, file: { ...file, field: 'document' } };
  const answer = await callTelegram('sendDocument', { form }, credentials, settings);
  if (!answer.ok) return answer;
  const messageId = textOf(answer.result.message_id);
  return messageId === undefined
    ? deliverFailure('provider_unavailable', 'Telegram answered without a message_id')
    : { messageId, threadId: topicOf(answer.result) };
}
