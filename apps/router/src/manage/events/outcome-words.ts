import type { TerminalOutcome } from '#libs/contracts';
import type { EventResult } from '#libs/journal';

/** Why an event ended as it did, for a person who asks why nothing happened. */
const words: Readonly<Record<TerminalOutcome, string>> = {
  refused: 'The signature was not accepted, so the request was not read.',
  challenge: 'It was a handshake of the provider and was answered.',
  verification: 'Gatehouse sent it itself to verify the App. It starts nothing.',
  handed_on: 'Its project has moved to another installation, which has it under the same id.',
  ignored: 'It contained nothing to act on.',
  duplicate: 'The same message arrived before and was handled then.',
  dropped_bot: 'A bot wrote it, possibly the App itself. Such messages are dropped.',
  dropped_echo: 'The App sent it itself, and the provider returned it.',
  loop_paused: 'It looks like part of a loop of messages and replies, which is paused.',
  held_unknown_sender: 'The sender is unknown. The channel holds such messages until somebody admits the sender.',
  blocked_contact: 'The sender is not allowed to write.',
  no_match: 'No trigger matched, and it did not go to the Chief of Staff.',
  parked: 'It could not be evaluated. It is parked until the cause is repaired.',
  routed: 'It was routed.',
  dead: 'It could not be handled and is now a dead letter.',
};

/** Why a request was refused, where it was not for its signature: these words replace those of the outcome. */
const refusals: Readonly<Record<string, string>> = {
  not_configured:
    'Its App has no secret to check the signature with, so the request was not read. Link a credential that has it.',
  weak_secret:
    'The secret of its App is too weak to protect it, so the request was not read. Store a stronger one in its credential.',
  app_disabled: 'Its App is disabled, so the request was not read.',
  app_retired: 'Its App is retired, so the request was not read.',
  project_closed: 'Its project is closed, so the request was not read.',
  missing_signature: 'It carries no signature, so it was not read. Its sender has to sign it.',
  missing_timestamp: 'It carries no time of signing, so it was not read.',
  stale_timestamp: 'It was signed too long ago, or in the future, so it was not read. Check the clock of its sender.',
};

/** Reasons that say more than their outcome. */
const reasons: Readonly<Record<string, string>> = {
  filter_error: "A trigger's filter failed: see its verdict.",
  unsanitisable: 'The text could not be sanitised.',
  rate_limited: 'The trigger that matched had reached its limit of runs.',
  no_trigger_matched: 'Every trigger of the App filtered it out: see the verdicts.',
  no_trigger_and_no_chief_of_staff: 'The App has no trigger, and its channel is not linked to the Chief of Staff.',
  workflow_not_found: 'It named a workflow that does not exist.',
  workflow_off: 'It named a workflow that is off.',
  daily_budget: 'The sender has used up the messages of the day.',
  blocked: 'The sender is blocked.',
  paired: 'It was a pairing code and admitted the sender.',
  unknown_sender: 'The sender is unknown, and the channel drops such messages.',
  not_paired: 'The sender has not sent a pairing code yet.',
  continued_run: 'A run waited for it, and went on.',
  hop_limit: 'Apps of this installation answer each other.',
  identical_texts:
    'The sender repeated one text as often in a row as LOOP_SAME_TEXTS allows, and was answered each time.',
  fast_loop: 'Message and reply followed each other as often within a minute as LOOP_ROUNDS_PER_MINUTE allows.',
  even_pace:
    'Messages followed the replies as evenly as those of a machine, as often in a row as LOOP_EVEN_ROUNDS allows.',
  own_message_id: 'It carries the id of a message that this App sent.',
  own_text: 'It has the text of a message that this App sent a moment ago.',
  answered_too_late: 'The handshake was answered too late.',
  contract_violation: "The adapter's answer broke the contract: the timeline names the field.",
};

/** @param outcome null: it has not ended */
export function wordsOfOutcome(outcome: string | null, reason: string | null): string {
  if (outcome === null) return 'It is still being processed.';
  const sentence = words[outcome as TerminalOutcome] ?? `It ended as ${outcome}.`;
  if (reason === null) return sentence;
  if (outcome === 'refused' && reason in refusals) return refusals[reason] ?? sentence;
  const machine = /^no_trigger_for_(.+)$/.exec(reason)?.[1];
  const more = machine === undefined ? reasons[reason] : `No trigger accepts messages of the kind ${machine}.`;
  return more === undefined ? sentence : `${sentence} ${more}`;
}

/** What became of an event in one word, and why in words: the same on every page, in every list and in the API. */
export interface EventState {
  /** The result of its turns, else its outcome; `waiting` or `open`: neither is known yet. */
  state: string;
  why: string;
}

/** @param wait what it waits for before it has an outcome, as a sentence; null: nothing */
export function eventState(
  outcome: string | null,
  reason: string | null,
  result: EventResult | null,
  wait: string | null = null,
): EventState {
  if (result === null && outcome === null && wait !== null) return { state: 'waiting', why: wait };
  return { state: result?.state ?? outcome ?? 'open', why: result?.text ?? wordsOfOutcome(outcome, reason) };
}
