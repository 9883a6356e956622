import { ProviderUnavailable, type JsonObject, type LookupCall, type LookupResult } from '#libs/adapter-sdk';
import { objectsOf, textOf } from '../provider-calls/json-fields.js';
import { completesDelivery } from './delivery-mark.js';
import { callSlack, type SlackSettings } from './slack-api.js';

const HISTORY_LENGTH = 200;
/** A lookup follows soon after its delivery; older answers in a thread cannot be it. */
const THREAD_WINDOW_SECONDS = 3_600;
const MAX_THREADS = 10;

/**
 * Whether a delivery arrived: looks for its mark in its thread or, if that is unknown, in the channel and in threads
 * with answers in the last hour.
 * @throws ProviderUnavailable when Slack cannot be asked: "not found" would send it again
 */
export async function findDelivery(call: LookupCall, settings: SlackSettings): Promise<LookupResult> {
  const since = Date.now() / 1000 - THREAD_WINDOW_SECONDS;
  if (call.thread_id !== undefined) return findInThread(call.thread_id, since, call, settings);
  const history = await read('conversations.history', { limit: String(HISTORY_LENGTH) }, call, settings);
  const direct = markedIn(history, call);
  if (direct.found) return direct;
  const threads = history
    .filter(({ reply_count, latest_reply }) => Number(reply_count) > 0 && !(Number(latest_reply) < since))
    .map(({ ts }) => textOf(ts))
    .filter((ts) => ts !== undefined);
  for (const thread of threads.slice(0, MAX_THREADS)) {
    const found = await findInThread(thread, since, call, settings);
    if (found.found) return found;
  }
  return { found: false };
}

async function findInThread(
  thread: string,
  since: number,
  call: LookupCall,
  settings: SlackSettings,
): Promise<LookupResult> {
  const asked = { ts: thread, oldest: String(since), limit: String(HISTORY_LENGTH) };
  return markedIn(await read('conversations.replies', asked, call, settings), call);
}

function markedIn(messages: readonly JsonObject[], call: LookupCall): LookupResult {
  const ts = textOf(messages.find((message) => completesDelivery(message, call.idempotency_key))?.ts);
  return ts === undefined ? { found: false } : { found: true, message_id: ts };
}

async function read(
  method: string,
  form: Record<string, string>,
  { credentials, channel_address }: LookupCall,
  settings: SlackSettings,
): Promise<JsonObject[]> {
  const asked = { ...form, channel: channel_address, include_all_metadata: 'true' };
  const answer = await callSlack(method, { form: asked }, credentials, settings);
  if (answer.ok) return objectsOf(answer.fields.messages);
  throw new ProviderUnavailable(
    `Slack did not return the history: ${answer.error_detail?.provider_code ?? answer.error}`,
  );
}
