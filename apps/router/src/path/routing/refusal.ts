import { limitNotice, type NormalizedMessage, type ReachedLimit } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import type { UnknownSenders } from '../../entities/rules.entity.js';
import { isOfBot } from '../guards/loop-breaker.js';
import type { Rules } from '../rules/project-rules.js';
import { noteInformed, type OverBudget, type SenderContext } from '../senders/senders.js';
import { decide, type Informing, limitWordsOf, type Refusal, withheldAdvice } from './decide.js';
import type { Draft } from './draft.js';

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

/** A message that a limit keeps from being answered. */
export interface Limited {
  draft: Draft;
  rules: Rules;
  senderContext: SenderContext;
  reached: { pausedUntil: Date } | { budget: OverBudget };
}

const once = {
  pause: 'The sender was informed of the pause, so no further notice is sent.',
  budget: 'The sender was informed today, so no further notice is sent.',
};

/**
 * Informs each sender once for its pause, and each contact once a day. Senders and the counts of their day are locked in
 * `tx`, so no other process informs them too. The senders' exchanges have yet to be kept.
 * @returns in the order of `limited`
 */
export async function informOf(tx: Queryable, limited: Limited[], nowMs: number): Promise<Informing[]> {
  const informed = new Set<string>();
  const results = limited.map((each) => {
    const { contactId, exchange } = each.senderContext;
    const result = informing(each, informed.has(contactId), nowMs);
    if ('notice' in result) {
      if ('budget' in each.reached) informed.add(contactId);
      else exchange.pauseNoticed = true;
    }
    return result;
  });
  await noteInformed(tx, [...informed].sort());
  return results;
}

function informing({ draft, rules, senderContext, reached }: Limited, before: boolean, nowMs: number): Informing {
  if ('pausedUntil' in reached && senderContext.exchange.pauseNoticed) return { withheld: once.pause };
  if ('budget' in reached && (before || reached.budget.noticed)) return { withheld: once.budget };
  if (isOfBot(draft.message)) return { withheld: 'A bot wrote the message, and bots get no notice.' };
  const { outcome, reply } = decide(draft, rules, senderContext);
  if (outcome !== 'routed' || !reply) {
    return { withheld: 'Nothing would have answered the message, so its sender gets no notice.' };
  }
  if ('withheld' in reply) return { withheld: `No notice is sent. ${withheldAdvice[reply.withheld]}` };
  const words = limitWordsOf(rules.channels.get(draft.app_id) ?? null);
  if (words === null) return { withheld: 'The channel sends no such notices: its limit_notice is null.' };
  return { notice: limitNotice(words, limitOf(reached), nowMs), target: reply.target };
}

function limitOf(reached: Limited['reached']): ReachedLimit {
  return 'pausedUntil' in reached
    ? { limit: 'pause', until: reached.pausedUntil }
    : { limit: 'messages', most: reached.budget.most };
}
