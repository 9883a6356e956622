import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { RouterSettings } from '../env.js';
import { Clock } from '../guards/clock.js';
import { settleSessions } from '../sessions/settle.js';
import { routerSettings } from '../settings.js';
import { joinDebounced } from '../workflows/debounce.js';
import { applyTriggerLimits } from '../workflows/trigger-limits.js';
import { claim, type Claimed } from './claim.js';
import { insertMessages, insertRuns, insertTurns } from './insert-rows.js';
import { judgeBatch, type Ruled } from './judge-batch.js';
import type { MessageRow } from './message.entity.js';
import { type Plan, planMessage } from './plan.js';

/** What became of a draft: its plan, or who had claimed its key before. */
export type Routed = { plan: Plan } | { claimed: Claimed };

/** Writes what a batch of messages becomes, in one transaction and few statements. */
@Injectable()
export class RoutingRepository {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(routerSettings) private readonly settings: RouterSettings,
  ) {}

  /** Claims each draft's dedup key, and decides over and commits those that won. */
  commit(batch: Ruled[]): Promise<Routed[]> {
    return this.db.transaction(async (tx) => {
      const claims = await claim(
        tx,
        batch.map(({ draft }) => draft),
      );
      const plans = await this.plan(
        tx,
        batch.filter((_ruled, index) => claims[index] === null),
      );
      await insertMessages(
        tx,
        plans.map((plan) => plan.message),
      );
      await insertWork(tx, plans);
      const left = plans.values();
      return claims.map((claimed): Routed => (claimed ? { claimed } : { plan: left.next().value as Plan }));
    });
  }

  /** Routes stored messages once more. */
  commitAgain(batch: Ruled[]): Promise<Plan[]> {
    return this.db.transaction((tx) => this.writeAgain(tx, batch));
  }

  /**
   * Routes messages that were kept from routing, each once, whoever asks how often; one that nothing matches stays kept.
   * @param rule gives the draft of a message that this call has released
   */
  release(
    organizationId: string,
    projectId: string,
    messageIds: string[],
    by: string,
    rule: (row: MessageRow) => Ruled,
  ): Promise<Plan[]> {
    return this.db.transaction(async (tx) => {
      const rows: unknown = await tx.query(
        `UPDATE router.message SET released_at = now(), released_by = $4
          WHERE id = ANY($1) AND organization_id = $2 AND project_id = $3 AND released_at IS NULL
            AND outcome NOT IN ('routed', 'no_match') RETURNING *`,
        [messageIds, organizationId, projectId, by],
      );
      const released = (rows as [MessageRow[], number])[0].sort((a, b) => (a.id < b.id ? -1 : 1));
      const plans = await this.writeAgain(tx, released.map(rule));
      const kept = plans.filter(({ decision }) => decision.outcome !== 'routed').map(({ message }) => message.id);
      if (kept.length > 0) {
        const back = 'UPDATE router.message SET released_at = NULL, released_by = NULL WHERE id = ANY($1)';
        await tx.query(back, [kept]);
      }
      return plans.filter(({ decision }) => decision.outcome === 'routed');
    });
  }

  async messagesOf(receiptIds: string[]): Promise<MessageRow[]> {
    return (await this.db.query('SELECT * FROM router.message WHERE receipt_id = ANY($1) ORDER BY id', [
      receiptIds,
    ])) as MessageRow[];
  }

  private async writeAgain(tx: EntityManager, batch: Ruled[]): Promise<Plan[]> {
    const plans = await this.plan(tx, batch);
    await insertWork(tx, plans);
    return plans;
  }

  private async plan(tx: EntityManager, batch: Ruled[]): Promise<Plan[]> {
    if (batch.length === 0) return [];
    const nowMs = this.clock.nowMs();
    const judged = await judgeBatch(tx, batch, this.settings, nowMs);
    const plans: Plan[] = [];
    for (const { draft, standing, decision } of judged) plans.push(planMessage(draft, standing, decision, plans));
    await applyTriggerLimits(tx, plans, nowMs);
    await joinDebounced(tx, plans, nowMs);
    await settleSessions(tx, plans, nowMs);
    return plans;
  }
}

async function insertWork(tx: EntityManager, plans: Plan[]): Promise<void> {
  await insertRuns(
    tx,
    plans.flatMap((plan) => plan.runs),
  );
  await insertTurns(
    tx,
    plans.flatMap((plan) => plan.turns),
  );
}
