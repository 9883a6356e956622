import type { IndicateCall, IndicateResult } from '#libs/adapter-sdk';
import { callTelegram, type TelegramSettings } from './telegram-api.js';

/** Telegram shows it for five seconds, or until the message comes. */
export async function indicate(call: IndicateCall, settings: TelegramSettings): Promise<IndicateResult> {
  if (call.state === 'done') return { ok: true };
  const json = {
    chat_id: call.channel_address,
    ...(call.thread_id !== undefined && { message_thread_id: Number(call.thread_id) }),
    action: 'typing',
  };
  const answer = await callTelegram('sendChatAction', { json }, call.credentials, settings);
  return answer.ok ? { ok: true } : answer;
}
