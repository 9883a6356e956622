import type { Queryable } from '#libs/database';
import { countAgainstBudget } from '../contacts/budget.js';
import { pairSenders } from '../contacts/pairing.js';
import { keepExchanges, resolveSenders } from '../contacts/resolve.js';
import { senderKey, type Standing } from '../contacts/standing.js';
import type { RouterSettings } from '../env.js';
import { type LoopLimits, noteInbound } from '../guards/loop-breaker.js';
import { automaticKindOf } from '../guards/machine-messages.js';
import { findEchoes } from '../guards/outbound.repository.js';
import { refuse, type Refusal } from '../guards/refusal.js';
import { decide, type Decision, refused, unknownSendersOf } from './decide.js';
import type { Draft } from './draft.js';
import type { Rules } from './project-rules.js';

/** A draft with the rules of its project. */
export interface Ruled {
  draft: Draft;
  rules: Rules;
}

export interface Judged extends Ruled {
  standing: Standing | null;
  decision: Decision;
}

export type JudgeSettings = LoopLimits & Pick<RouterSettings, 'ECHO_WINDOW_MS' | 'LOOP_MAX_HOPS'>;

/**
 * Decides over messages whose claim was won: whose they are, whether something speaks against them, and where they go. All
 * messages share each statement; the built-in Webhook app's need none.
 */
export async function judgeBatch(
  tx: Queryable,
  batch: Ruled[],
  settings: JudgeSettings,
  nowMs: number,
): Promise<Judged[]> {
  const people = batch
    .map(({ draft }) => draft)
    .filter((draft) => draft.app_kind === 'adapter' && !draft.message.is_bot);
  const standings = await resolveSenders(
    tx,
    people.map((draft) => ({ ...draft, sender: draft.message.sender })),
  );
  const entries = batch.map((ruled) => ({
    ...ruled,
    standing: standings.get(senderKey(ruled.draft.app_id, ruled.draft.message)) ?? null,
    refusal: null as Refusal | null,
  }));
  const judging = entries.filter(({ draft }) => !draft.released);
  await refuseBySender(tx, judging, settings);
  const noted = new Set<Standing>();
  for (const entry of judging) {
    const { draft, standing } = entry;
    // What is never answered makes no loop.
    if (entry.refusal || !standing || automaticKindOf(draft.message)) continue;
    noted.add(standing);
    const loop = noteInbound(standing.exchange, draft.message.message, nowMs, settings);
    if (loop) entry.refusal = { outcome: 'loop_paused', reason: loop };
  }
  await keepExchanges(tx, [...noted]);
  await refuseOverBudget(tx, judging);
  return entries.map(({ draft, rules, standing, refusal }) => ({
    draft,
    rules,
    standing,
    decision: refusal ? refused(refusal) : decide(draft, rules, standing),
  }));
}

type Entry = Ruled & { standing: Standing | null; refusal: Refusal | null };

async function refuseBySender(tx: Queryable, entries: Entry[], settings: JudgeSettings): Promise<void> {
  const people = entries.filter(({ standing }) => standing !== null);
  const echoes = await findEchoes(
    tx,
    people.map(({ draft }) => draft),
    settings.ECHO_WINDOW_MS,
  );
  const pairing = people.filter(({ draft, rules }) => unknownSendersOf(rules, draft.app_id) === 'pair');
  const paired = await pairSenders(
    tx,
    pairing.map(({ draft, standing }) => ({ appId: draft.app_id, text: draft.message.message, standing })),
  );
  const pairedEntries = new Set(pairing.filter((_entry, index) => paired[index]));
  const echoOf = new Map(people.map((entry, index) => [entry, echoes[index] ?? null]));
  for (const entry of entries) {
    const { draft, rules, standing } = entry;
    entry.refusal = draft.unsanitisable
      ? { outcome: 'parked', reason: 'unsanitisable' }
      : refuse(
          draft.message,
          standing,
          unknownSendersOf(rules, draft.app_id),
          { echo: echoOf.get(entry) ?? null, paired: pairedEntries.has(entry) },
          settings.LOOP_MAX_HOPS,
        );
  }
}

async function refuseOverBudget(tx: Queryable, entries: Entry[]): Promise<void> {
  const counted = entries.flatMap((entry) =>
    entry.refusal === null && entry.standing ? [{ entry, standing: entry.standing }] : [],
  );
  const over = await countAgainstBudget(
    tx,
    counted.map(({ standing }) => standing),
  );
  counted.forEach(({ entry }, index) => {
    if (over[index]) entry.refusal = { outcome: 'blocked_contact', reason: 'daily_budget' };
  });
}
