import type { LimitNotice, NormalizedMessage, ReplyTarget, TerminalOutcome } from '#libs/contracts';
import type { UnknownSenders } from '../../entities/rules.entity.js';
import type { SenderContext } from '../senders/senders.js';

/** Why a message is not routed. It stays readable, and a person can release it. */
export interface Refusal {
  outcome: TerminalOutcome;
  reason: string | null;
}

/** What the sender of a message that a limit refused is told; or, for people, why nothing. */
export type Informing = { notice: LimitNotice; target: ReplyTarget } | { withheld: string };

/** Apps of this installation answer each other. */
const hopLimit = 'hop_limit';

/** For people: what ended the exchange, and what to do. @param reason of an outcome `loop_paused` */
export function loopAdvice(reason: string | null): string {
  return reason === hopLimit
    ? 'Apps of this installation answer each other: this message follows as many deliveries in a row as LOOP_MAX_HOPS allows. ' +
        'Change the reply_address of one of their channels. To answer this message anyway, release it.'
    : 'Messages and replies follow each other as if two machines wrote. If a person writes, resume the contact, ' +
        'and release the paused messages.';
}

/** What the batch found out about one message, apart from its text. */
export interface Findings {
  echo: 'id' | 'text' | null;
  paired: boolean;
}

/** The refusals that need no count: who sent the message, and whether they may write. In the pipeline's order. */
export function refuse(
  message: NormalizedMessage,
  senderContext: SenderContext | null,
  policy: UnknownSenders,
  findings: Findings,
  maxHops: number,
): Refusal | null {
  if (message.is_bot) return { outcome: 'dropped_bot', reason: null };
  if (message.origin && message.origin.hops >= maxHops) return { outcome: 'loop_paused', reason: hopLimit };
  if (findings.echo) return { outcome: 'dropped_echo', reason: findings.echo === 'id' ? 'own_message_id' : 'own_text' };
  if (!senderContext) return null;
  if (senderContext.status === 'blocked') return { outcome: 'blocked_contact', reason: 'blocked' };
  if (findings.paired) return { outcome: 'ignored', reason: 'paired' };
  if (senderContext.status === 'known' || policy === 'open') return null;
  if (policy === 'drop') return { outcome: 'ignored', reason: 'unknown_sender' };
  return { outcome: 'held_unknown_sender', reason: policy === 'pair' ? 'not_paired' : null };
}
