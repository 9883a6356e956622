import { limitNotice, type ReachedLimit } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import { isOfBot } from '../guards/loop-breaker.js';
import { noteInformed, type OverBudget, type SenderContext } from '../senders/senders.js';
import { decide } from './decide.js';
import type { Draft } from './draft.js';
import type { Informing } from './refusal.js';
import { limitWordsOf, withheldAdvice } from './reply.js';
import type { Rules } from '../rules/project-rules.js';

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
