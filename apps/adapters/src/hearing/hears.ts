import { type Credentials, ignoredMessage, type NormalizedMessage } from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';

/** Whether it hears everything, or where many are only what is for it. */
export type Hears = 'all' | 'mentions';

/** The setting of the App: `mentions`, or anything else for all. */
export function hearsOf({ hears }: Credentials): Hears {
  return textOf(hears)?.trim().toLowerCase() === 'mentions' ? 'mentions' : 'all';
}

/** What is always for the bot. */
const ASKED = ['command', 'action'];

/** Leaves the rest of a group alone where the App hears only what is for the bot. @param isForBot as the provider says */
export function heard(parsed: NormalizedMessage, credentials: Credentials, isForBot: boolean): NormalizedMessage {
  const isAddressed = isForBot || parsed.is_dm === true || ASKED.includes(parsed.event_type);
  return isAddressed || hearsOf(credentials) === 'all' ? parsed : notAddressed(parsed);
}

/** What is not for the bot, where it hears only that. */
export function notAddressed(parsed: NormalizedMessage): NormalizedMessage {
  if (parsed.event_type === 'ignored') return parsed;
  return { ...ignoredMessage('not_mentioned', parsed.metadata), is_bot: parsed.is_bot };
}
