import type { Credentials, NormalizedMessage } from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import { callTelegram, type TelegramSettings } from './telegram-api.js';

/** A press is parsed whether or not Telegram is informed in time. */
const TIMEOUT_MS = 2_000;

/** Ends the wait that Telegram shows on a pressed button. The button works without: a failure is of no consequence. */
export async function answerPress(
  { metadata }: NormalizedMessage,
  credentials: Credentials,
  settings: TelegramSettings,
): Promise<void> {
  const id = textOf(metadata?.callback_query_id);
  if (id === undefined) return;
  const timeoutMs = Math.min(TIMEOUT_MS, settings.timeoutMs);
  const json = { callback_query_id: id };
  await callTelegram('answerCallbackQuery', { json }, credentials, { ...settings, timeoutMs });
}
