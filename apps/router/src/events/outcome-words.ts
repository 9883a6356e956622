import type { TerminalOutcome } from '#libs/contracts';

/** Why an event ended as it did, for a person who asks why nothing happened. */
const words: Readonly<Record<TerminalOutcome, string>> = {
  refused: 'Its signature was not accepted, so it was not read.',
  challenge: 'It was a handshake of the provider, and was answered.',
  verification: 'The platform sent it itself, to verify the App: it comes to nothing.',
  ignored: 'There was nothing in it to act on.',
  duplicate: 'The same message had come before, and was handled then.',
  dropped_bot: 'A bot wrote it, and the App drops those: it may be its own message.',
  dropped_echo: 'It is what this App sent itself, come back.',
  loop_paused: 'It looks like a loop of message and reply, which is paused.',
  held_unknown_sender: 'Its sender is unknown, and the channel holds those until somebody admits the sender.',
  blocked_contact: 'Its sender may not write.',
  no_match: 'Nobody took it: no trigger matched, and it did not go to the Chief of Staff.',
  parked: 'It could not be evaluated, and is parked until that is repaired.',
  routed: 'It was routed.',
  dead: 'It could not be handled, and waits among the dead letters.',
};

/** Reasons that say more than their outcome. */
const reasons: Readonly<Record<string, string>> = {
  filter_error: "A trigger's filter failed on it: its verdict says how.",
  unsanitisable: 'Its text could not be cleaned.',
  rate_limited: 'The trigger that matched had started as many runs as its limit allows.',
  no_trigger_matched: 'Every trigger of the App filtered it out: the verdicts say why.',
  no_trigger_and_no_chief_of_staff: 'The App has no trigger, and its channel is not linked to the Chief of Staff.',
  workflow_not_found: 'It named a workflow that does not exist.',
  workflow_off: 'It named a workflow that is off.',
  daily_budget: 'Its sender has used up the messages of the day.',
  blocked: 'Its sender is blocked.',
  paired: 'It was a pairing code, which admitted its sender.',
  unknown_sender: 'Its sender is unknown, and the channel drops those.',
  not_paired: 'Its sender has not shown a pairing code yet.',
  hop_limit: 'Apps of this installation answer each other.',
  own_message_id: 'It carries the id of a message that this App sent.',
  own_text: 'It has the text of a message that this App sent a moment ago.',
  answered_too_late: 'It was a handshake whose answer came too late.',
  contract_violation: "The adapter's answer broke its contract: the timeline names the field.",
};

/** @param outcome null: it has not ended */
export function wordsOfOutcome(outcome: string | null, reason: string | null): string {
  if (outcome === null) return 'It is under way.';
  const said = words[outcome as TerminalOutcome] ?? `It ended as ${outcome}.`;
  if (reason === null) return said;
  const machine = /^no_trigger_for_(.+)$/.exec(reason)?.[1];
  const more = machine === undefined ? reasons[reason] : `No trigger takes messages of the kind ${machine}.`;
  return more === undefined ? said : `${said} ${more}`;
}
