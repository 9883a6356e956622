import {
  type AttachedFile,
  type DeliverCall,
  type DeliverFailure,
  deliverFailure,
  type SentPart,
} from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import { topicOf } from './chat-message.js';
import { callTelegram, type TelegramSettings } from './telegram-api.js';

/** Sends one file with `sendDocument`, which leaves a picture as it is. */
export async function sendFile(
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
