import { isJsonObject } from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';

/** Discord's ids count milliseconds from here, above their lowest 22 bits. */
const DISCORD_EPOCH_MS = 1_420_070_400_000;
const VALID_MS = 15 * 60_000;
/** A call in flight when the token ends is refused. */
const MARGIN_MS = 10_000;

export interface Interaction {
  id: string;
  application: string;
  token: string;
}

/** When something with this id was made, in ms since the Unix epoch. */
export function madeAtMs(id: string): number {
  return Number(BigInt(id) >> 22n) + DISCORD_EPOCH_MS;
}

/** The interaction that is answered, while Discord takes answers to it. */
export function openInteraction(replyContext: unknown, nowMs: number): Interaction | undefined {
  if (!isJsonObject(replyContext)) return undefined;
  const { interaction_id: id, application_id: application, token } = replyContext;
  const [of, by, with_] = [textOf(id), textOf(application), textOf(token)];
  if (of === undefined || by === undefined || with_ === undefined) return undefined;
  if (!/^\d{5,20}$/.test(of) || !/^\d{5,20}$/.test(by) || !/^[\w.=-]{1,1000}$/.test(with_)) return undefined;
  const isOpen = nowMs < madeAtMs(of) + VALID_MS - MARGIN_MS;
  return isOpen ? { id: of, application: by, token: with_ } : undefined;
}
