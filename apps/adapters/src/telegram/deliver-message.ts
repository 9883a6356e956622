import {
  type AttachedFile,
  attachedFiles,
  type DeliverCall,
  type DeliverFailure,
  deliverFailure,
  deliverParts,
  deliverReaction,
  type DeliverResponse,
  type SentPart,
} from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import { topicOf } from './chat-message.js';
import { partsToSend } from './format-message.js';
import { businessOf, sendText } from './send-text.js';
import { setReaction } from './set-reaction.js';
import { orToChat } from './topic-gone.js';
import { callTelegram, type TelegramSettings } from './telegram-api.js';
import { TELEGRAM_MAX_LENGTH } from './telegram.manifest.js';

/** A chat's id, or the public name of a channel. */
const ADDRESS = /^(?:-?\d{1,20}|@[A-Za-z]\w{3,63})$/;

/** Sends the message, or changes the one that it is an edit of, and adds its reaction. */
export async function deliverMessage(call: DeliverCall, settings: TelegramSettings): Promise<DeliverResponse> {
  const { message, channel_address } = call;
  if (!ADDRESS.test(channel_address)) {
    return deliverFailure('invalid_request', 'channel_address must be a chat id or a @channel');
  }
  if (message.thread_id !== undefined && !/^\d{1,15}$/.test(message.thread_id)) {
    return deliverFailure('invalid_request', 'message.thread_id must be the number of a topic');
  }
  return deliverReaction(
    call,
    () => sendMessage(call, settings),
    (reaction) => setReaction(call, reaction, settings),
  );
}

/** A long text goes in parts, and each file as a part after them. */
async function sendMessage(call: DeliverCall, settings: TelegramSettings): Promise<DeliverResponse> {
  const { message } = call;
  const files = attachedFiles(call);
  if ('ok' in files) return files;
  if (message.text.trim() === '' && files.length === 0)
    return deliverFailure('invalid_request', 'message.text is empty');
  const texts = message.text.trim() === '' ? [] : partsToSend(message, TELEGRAM_MAX_LENGTH);
  if (texts.length === 0 && files.length === 0)
    return deliverFailure('invalid_request', 'message.text has no visible text');
  const parts = [...texts, ...files.map(({ name }) => name)];
  return deliverParts(call, parts, (part) => {
    const file = files[part.index - texts.length];
    if (file) return sendFile(call, file, settings);
    return sendText(call, { ...part, isLast: part.index === texts.length - 1 }, settings);
  });
}

/** Sends one file with `sendDocument`, which leaves a picture as it is. */
async function sendFile(
  { credentials, channel_address, message }: DeliverCall,
  file: AttachedFile,
  settings: TelegramSettings,
): Promise<SentPart | DeliverFailure> {
  return orToChat(message.thread_id, async (topic) => {
    const fields = {
      chat_id: channel_address,
      ...businessOf(message.reply_context),
      ...(topic !== undefined && { message_thread_id: topic }),
    };
    const form = { fields, file: { ...file, field: 'document' } };
    const answer = await callTelegram('sendDocument', { form }, credentials, settings);
    if (!answer.ok) return answer;
    const messageId = textOf(answer.result.message_id);
    return messageId === undefined
      ? deliverFailure('provider_unavailable', 'Telegram answered without a message_id')
      : { messageId, threadId: topicOf(answer.result) };
  });
}
