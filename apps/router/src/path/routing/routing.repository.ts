import type { Queryable } from '#libs/database';
import { Journal } from '#libs/journal';
import { type KeyedRequest, once } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { RouterSettings } from '../../env.js';
import { Clock } from '../guards/clock.js';
import { TurnHandover } from '../handover/turn-handover.service.js';
import { SETTINGS } from '../../settings.js';
import { joinDebounced } from './debounce.js';
import { applyTriggerLimits } from './trigger-limits.js';
import { arrivalEntries } from './arrival-entries.js';
import { claim, type Claimed } from './claim.js';
import { draftOf } from './draft.js';
import { claimAndInsert, insertRows, type NewRows } from './insert-rows.js';
import { classifyBatch, type Ruled } from './classify-batch.js';
import { type MessageRow, messagesSql } from '../../entities/message.entity.js';
import { type Plan, planMessage, runIdsOf, turnsOf } from './plan.js';
import type { Rules } from '../rules/project-rules.js';

/** The result for a draft: its plan, or who had claimed its key earlier. */
export type Routed = { plan: Plan; continued: Plan[] } | { claimed: Claimed };

export interface Released {
  /** The messages that were released. */
  released: string[];
  run_ids: string[];
}

/** Most held messages of a sender that continue when it pairs; the rest wait to be released. */
const continuedAtMost = 200;

/** Writes the results of a batch of messages, in one transaction and few statements. */
@Injectable()
export class RoutingRepository {
  constructor(
    private readonly db: DataSource,
    private readonly journal: Journal,
    private readonly handover: TurnHandover,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {}

  /** Claims each draft's dedup key, and decides and commits those that won. */
  async commit(batch: Ruled[]): Promise<Routed[]> {
    const drafts = batch.map(({ draft }) => draft);
    const told = drafts.some((draft) => draft.told);
    const plain = await this.planPlain(batch);
    if (plain) {
      const claims = await claimAndInsert(this.db, drafts, this.rowsOf(plain), told);
      this.noted(plain.filter((_plan, index) => claims[index] === null));
      return plain.map((plan, index) => {
        const claimed = claims[index];
        return claimed ? { claimed } : { plan, continued: [] };
      });
    }
    const written = await this.db.transaction(async (tx) => {
      const claims = await claim(tx, drafts);
      const plans = await this.plan(
        tx,
        batch.filter((_ruled, index) => claims[index] === null),
      );
      await insertRows(tx, this.rowsOf(plans), told);
      const routed: Routed[] = [];
      const left = plans.values();
      for (const [index, claimed] of claims.entries()) {
        if (claimed) routed.push({ claimed });
        else {
          const plan = left.next().value as Plan;
          const { rules } = batch[index] as Ruled;
          routed.push({ plan, continued: await this.continuePaired(tx, plan, rules) });
        }
      }
      return { plans, routed };
    });
    this.noted(written.plans);
    return written.routed;
  }

  /**
   * Routes stored messages again.
   * @param asked the caller's key: nothing is done if it was used before
   * @returns what this call created, and the answer to the first call under the key
   */
  commitAgain(
    batch: Ruled[],
    asked: KeyedRequest | null,
  ): Promise<{ plans: Plan[]; run_ids: string[]; turn_ids: string[] }> {
    return this.db.transaction(async (tx) => {
      let plans: Plan[] = [];
      const answer = await once(tx, 'router', asked, async () => {
        plans = await this.writeAgain(tx, batch);
        return { run_ids: runIdsOf(plans), turn_ids: turnsOf(plans).map(({ turn_id }) => turn_id) };
      });
      return { plans, ...answer };
    });
  }

  /**
   * Routes messages that were kept from routing, each once, however often it is called. A message that nothing matches
   * stays kept.
   * @param rule gives the draft of a message that this call has released
   * @param asked and the returned value: as in `commitAgain`
   */
  release(
    organizationId: string,
    projectId: string,
    messageIds: string[],
    by: string,
    rule: (row: MessageRow) => Ruled,
    asked: KeyedRequest | null,
  ): Promise<Released & { plans: Plan[] }> {
    return this.db.transaction(async (tx) => {
      let plans: Plan[] = [];
      const answer = await once(tx, 'router', asked, async () => {
        plans = await this.releaseIn(tx, [messageIds, organizationId, projectId, by], rule);
        return { released: plans.map(({ message }) => message.id), run_ids: runIdsOf(plans) };
      });
      return { plans, ...answer };
    });
  }

  async messagesOf(receiptIds: string[]): Promise<MessageRow[]> {
    return (await this.db.query(`${messagesSql} WHERE receipt_id = ANY($1) ORDER BY id`, [receiptIds])) as MessageRow[];
  }

  private async releaseIn(
    tx: EntityManager,
    which: [messageIds: string[], organizationId: string, projectId: string, by: string],
    rule: (row: MessageRow) => Ruled,
  ): Promise<Plan[]> {
    const rows: unknown = await tx.query(
      `UPDATE router.message SET released_at = now(), released_by = $4
        WHERE id = ANY($1) AND organization_id = $2 AND project_id = $3 AND released_at IS NULL
          AND outcome NOT IN ('routed', 'no_match') RETURNING *`,
      which,
    );
    const released = (rows as [MessageRow[], number])[0].sort((a, b) => (a.id < b.id ? -1 : 1));
    const plans = await this.writeAgain(tx, released.map(rule));
    const kept = plans.filter(({ decision }) => decision.outcome !== 'routed').map(({ message }) => message.id);
    if (kept.length > 0) {
      const back = 'UPDATE router.message SET released_at = NULL, released_by = NULL WHERE id = ANY($1)';
      await tx.query(back, [kept]);
    }
    return plans.filter(({ decision }) => decision.outcome === 'routed');
  }

  /**
   * Routes the held messages of a sender that has just paired. Only this sender's: those of the contact's other
   * identities are not locked here.
   */
  private async continuePaired(
    tx: EntityManager,
    { draft, senderContext, decision }: Plan,
    rules: Rules,
  ): Promise<Plan[]> {
    if (decision.reason !== 'paired' || !senderContext) return [];
    const held = (await tx.query(
      `SELECT id FROM router.message WHERE contact_id = $1 AND outcome = 'held_unknown_sender' AND released_at IS NULL
          AND app_id = $2 AND message ->> 'sender' = $3 ORDER BY id LIMIT $4`,
      [senderContext.homeId, senderContext.appId, senderContext.sender, continuedAtMost],
    )) as { id: string }[];
    const { organization_id, project_id } = draft;
    return this.releaseIn(tx, [held.map((row) => row.id), organization_id, project_id, 'pairing'], (row) => ({
      rules,
      draft: draftOf(row, { replay: false, deliver: true, startedBy: null }),
    }));
  }

  private async writeAgain(tx: EntityManager, batch: Ruled[]): Promise<Plan[]> {
    const plans = await this.plan(tx, batch);
    await this.handover.keep(tx, turnsOf(plans));
    return plans;
  }

  /** @returns null when the decision needs the database: locks, counts or contacts */
  private async planPlain(batch: Ruled[]): Promise<Plan[] | null> {
    if (batch.some(({ draft }) => draft.app_kind !== 'builtin')) return null;
    try {
      return await this.plan(noDatabase, batch);
    } catch (error) {
      if (error instanceof NeedsDatabase) return null;
      throw error;
    }
  }

  private rowsOf(plans: Plan[]): NewRows {
    return {
      messages: plans.map(({ message, turns }) => ({ ...message, turns })),
      entries: arrivalEntries(plans).map(({ entry, messageId }) => this.journal.row(entry, messageId)),
    };
  }

  private noted(plans: Plan[]): void {
    for (const { entry } of arrivalEntries(plans)) this.journal.noted(entry);
  }

  private async plan(tx: Queryable, batch: Ruled[]): Promise<Plan[]> {
    if (batch.length === 0) return [];
    const nowMs = this.clock.nowMs();
    const classified = await classifyBatch(tx, batch, this.settings, nowMs);
    const plans = classified.map(({ draft, senderContext, decision }) =>
      planMessage(draft, senderContext, decision, nowMs),
    );
    await applyTriggerLimits(tx, plans, nowMs);
    await joinDebounced(tx, plans, nowMs);
    return plans;
  }
}

class NeedsDatabase extends Error {
  override readonly name = 'NeedsDatabase';
}

/** Messages that name their workflow, or have plain triggers, need no database to be decided, and one round trip. */
const noDatabase: Queryable = { query: () => Promise.reject(new NeedsDatabase()) };
