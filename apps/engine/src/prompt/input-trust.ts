import { type ContentTrust, isUntrusted, type TurnInput } from '#libs/contracts';

/** How far the messages that a turn answers are trusted. */
export function trustOfInput(input: TurnInput): ContentTrust {
  return isUntrusted(input) || saidByOthers(input) ? 'untrusted' : 'own';
}

/** What arrived during a takeover is shown with the message and may come from another sender. */
function saidByOthers({ takeover = [] }: TurnInput): boolean {
  return takeover.some((line) => line.by === 'sender' && line.untrusted);
}
