import type { ContextMessage, InboundCall, NormalizedMessage } from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import { idsIn, readableText, type Names } from './readable-text.js';
import { namesOf } from './names.js';
import type { SlackSettings } from './slack-api.js';
import { threadBefore } from './thread-context.js';

/** Their text is written by people; that of an action is a value. */
const WRITTEN = ['message_received', 'mention', 'message_edited', 'command'];
const NAMED = [...WRITTEN, 'message_deleted', 'reaction_added', 'action'];

/** A message is parsed whether or not Slack says more about it in time. */
const TIMEOUT_MS = 2_000;

type Call = Pick<InboundCall, 'credentials' | 'self'>;

/**
 * A parsed message with what Slack sends only when asked: the thread before a mention, and names for ids. A look-up that
 * fails leaves the id: the message matters more.
 */
export async function makeReadable(
  parsed: NormalizedMessage,
  call: Call,
  settings: SlackSettings,
): Promise<NormalizedMessage> {
  if (!NAMED.includes(parsed.event_type)) return parsed;
  // What is dropped needs no names.
  if (parsed.is_bot) return withNames(parsed, new Map());
  const hasty = { ...settings, timeoutMs: Math.min(TIMEOUT_MS, settings.timeoutMs) };
  const before = await contextOf(parsed, call, hasty);
  const message = { ...parsed, metadata: { ...parsed.metadata, ...before } };
  return withNames(message, await namesFor(message, call, hasty));
}

async function contextOf(
  { event_type, thread_id: thread, metadata }: NormalizedMessage,
  call: Call,
  settings: SlackSettings,
): Promise<Partial<Awaited<ReturnType<typeof threadBefore>>>> {
  const [channel, ts] = [metadata?.channel_address, metadata?.message_id];
  if (event_type !== 'mention' || thread === undefined || ts === undefined || thread === ts || !channel) return {};
  return threadBefore({ channel, thread, ts }, call, settings);
}

async function namesFor(
  { sender, message, is_dm, metadata = {} }: NormalizedMessage,
  { credentials, self }: Call,
  settings: SlackSettings,
): Promise<Names> {
  const { context = [], channel_address: channel } = metadata;
  const senders = context.map((entry) => (entry.sender?.name === undefined ? entry.sender?.id : undefined));
  const wanted = [
    metadata.sender?.name === undefined ? sender : undefined,
    is_dm === true ? undefined : (channel ?? undefined),
    ...idsIn(message),
    ...senders,
    ...context.flatMap((entry) => idsIn(entry.message)),
  ].filter((id) => id !== undefined && /^[UWCG][A-Z0-9]{1,19}$/.test(id));
  const [own, ownName] = [self?.id, self?.username ?? textOf(self?.name)];
  const known = own !== undefined && ownName !== undefined && ownName !== '' ? ([[own, ownName]] as const) : [];
  const unknown = [...new Set(wanted)].filter((id) => id !== undefined && id !== known[0]?.[0]) as string[];
  return new Map([...known, ...(await namesOf(unknown, credentials, settings))]);
}

function withNames(parsed: NormalizedMessage, names: Names): NormalizedMessage {
  const { metadata = {}, event_type, sender, message } = parsed;
  const isWritten = WRITTEN.includes(event_type) || metadata.raw_type === 'message_action';
  const senderName = metadata.sender?.name ?? names.get(sender);
  const channelName = names.get(metadata.channel_address ?? '');
  const mentions = isWritten
    ? idsIn(message).flatMap((id) => (names.has(id) ? [{ id, name: names.get(id) }] : []))
    : [];
  const context = metadata.context?.map((entry) => namedEntry(entry, names));
  return {
    ...parsed,
    message: isWritten ? readableText(message, names) : message,
    metadata: {
      ...metadata,
      ...(metadata.sender && { sender: { ...metadata.sender, ...(senderName !== undefined && { name: senderName }) } }),
      ...(channelName !== undefined && { channel_name: channelName }),
      ...(mentions.length > 0 && { mentions }),
      ...(context && { context }),
      ...(typeof metadata.arguments === 'string' && { arguments: readableText(metadata.arguments, names) }),
    },
  };
}

function namedEntry(entry: ContextMessage, names: Names): ContextMessage {
  const name = entry.sender?.name ?? names.get(entry.sender?.id ?? '');
  return {
    ...entry,
    message: readableText(entry.message, names),
    ...(entry.sender && { sender: { ...entry.sender, ...(name !== undefined && { name }) } }),
  };
}
