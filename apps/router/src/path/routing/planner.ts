import type { Queryable } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import { type RouterSettings, SETTINGS } from '../../env.js';
import { Clock } from '../guards/loop-breaker.js';
import { type Classified, classifyAlone, classifyBatch, type Ruled } from './classify-batch.js';
import { joinDebounced } from './debounce.js';
import { type Plan, planMessage } from './plan.js';
import { applyTriggerLimits } from './trigger-limits.js';

/** Decides what messages become. */
@Injectable()
export class Planner {
  constructor(
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {}

  /**
   * Plans messages that need no database to be decided, so that one statement claims and stores them.
   * @returns null when one of them needs it: for its sender, or for its triggers' counts
   */
  alone(batch: Ruled[]): Plan[] | null {
    if (batch.some(({ draft }) => draft.app_kind !== 'builtin')) return null;
    const classified = batch.map((ruled) => classifyAlone(ruled, this.settings));
    return classified.some(isCounted) ? null : planned(classified, this.clock.nowMs());
  }

  /** Plans messages whose claim was won, within the transaction that stores them. */
  async within(tx: Queryable, batch: Ruled[]): Promise<Plan[]> {
    if (batch.length === 0) return [];
    const nowMs = this.clock.nowMs();
    const plans = planned(await classifyBatch(tx, batch, this.settings, nowMs), nowMs);
    await applyTriggerLimits(tx, plans, nowMs);
    await joinDebounced(tx, plans, nowMs);
    return plans;
  }
}

function planned(classified: Classified[], nowMs: number): Plan[] {
  return classified.map(({ draft, senderContext, decision }) => planMessage(draft, senderContext, decision, nowMs));
}

/** Whether its runs are counted against limits, or wait for more messages. */
function isCounted({ decision }: Classified): boolean {
  return decision.runs.some(
    ({ trigger }) =>
      trigger &&
      (trigger.limit_per_minute !== null || trigger.contact_limit_per_hour !== null || trigger.debounce_seconds),
  );
}
