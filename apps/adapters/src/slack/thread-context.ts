import { type ContextMessage, contextFields, type Credentials, type JsonObject, type Self } from '#libs/adapter-sdk';
import { objectsOf, textOf } from '../provider-calls/json-fields.js';
import { timeOf } from './message-address.js';
import { messageText } from './message-text.js';
import { callSlack, type SlackSettings } from './slack-api.js';

const PAGE_LENGTH = '100';
/** Slack gives the oldest first; a longer thread keeps its beginning. */
const MAX_PAGES = 3;

/** The message that asks, by its place. */
interface Asked {
  channel: string;
  thread: string;
  ts: string;
}

/** Earlier messages of a thread, as Slack wrote them; or why there are none. */
export async function threadBefore(
  { channel, thread, ts }: Asked,
  { credentials, self }: { credentials: Credentials; self: Self | undefined },
  settings: SlackSettings,
): Promise<ReturnType<typeof contextFields> | { context_unavailable: string }> {
  const written: JsonObject[] = [];
  let cursor = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const form = { channel, ts: thread, latest: ts, limit: PAGE_LENGTH, ...(cursor !== '' && { cursor }) };
    const answer = await callSlack('conversations.replies', { form }, credentials, settings);
    if (!answer.ok) return { context_unavailable: answer.error_detail?.provider_code ?? answer.error };
    written.push(...objectsOf(answer.fields.messages));
    const next = answer.fields.response_metadata;
    cursor = typeof next === 'object' && next !== null && 'next_cursor' in next ? (textOf(next.next_cursor) ?? '') : '';
    if (cursor === '') break;
  }
  const before = written.filter(
    (message) => Number(textOf(message.ts)) < Number(ts) && message.subtype !== 'tombstone',
  );
  return contextFields(before.map((message) => contextMessage(message, self)));
}

function contextMessage(message: JsonObject, self: Self | undefined): ContextMessage {
  const [user, bot, ts] = [textOf(message.user), textOf(message.bot_id), textOf(message.ts)];
  const [id, name, timestamp] = [user ?? bot, textOf(message.username), ts === undefined ? undefined : timeOf(ts)];
  const isSelf = (user !== undefined && user === self?.id) || (bot !== undefined && bot === self?.bot_id);
  return {
    kind: 'thread',
    message: messageText(message),
    sender: { ...(id !== undefined && { id }), ...(name !== undefined && { name }) },
    ...(ts !== undefined && { message_id: ts }),
    ...(timestamp !== undefined && { timestamp }),
    ...(isSelf && { is_self: true }),
  };
}
