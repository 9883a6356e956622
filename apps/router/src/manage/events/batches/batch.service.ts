import { columnsOf, type ProjectScope, scopeOf } from '#libs/contracts';
import { Database, type Sweeper, Sweeping } from '#libs/database';
import {
  type Batch,
  type BatchItem,
  batchProgress,
  type BatchProgress,
  cancelBatch,
  createBatch,
  endBatchItem,
  listDeadLetters,
  takeBatchItems,
} from '#libs/journal';
import { askerOf, keyed, type KeyedRequest, notFound, once, type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type RouterSettings, SETTINGS } from '../../../env.js';
import { type DeadLetterFilter, deadLetterQuery } from '../dead-letters/dead-letter-filter.js';
import { Redriver } from '../dead-letters/redriver.js';
import type { EventFilter } from '../event-filter.js';
import { EventSearch } from '../event-search.service.js';
import { Replayer } from '../replayer.js';

/** The batch that was started, and whether the filter matches more than one batch takes. */
export interface BatchBegun extends BatchProgress {
  more: boolean;
}

const sweepEveryMs = 1_000;
/** How often to look for a batch that another replica took and did not finish. */
const idleMs = 10_000;
const itemsAtATime = 20;
const leaseMs = 60_000;

/** Does for many events, one after the other, what was requested for all of them; the rows store what is left. */
@Injectable()
export class BatchService extends Sweeping {
  private readonly sweeper: Sweeper;

  constructor(
    private readonly db: Database,
    private readonly events: EventSearch,
    private readonly replayer: Replayer,
    private readonly redriver: Redriver,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {
    super();
    this.sweeper = this.sweepEvery({
      name: 'event-batches',
      everyMs: sweepEveryMs,
      idleMs,
      batch: itemsAtATime,
      sweep: (limit) => this.work(limit),
    });
  }

  async replay(
    caller: Principal,
    filter: EventFilter,
    deliver: boolean,
    idempotencyKey: string | null,
  ): Promise<BatchBegun> {
    const { ids, more } = await this.events.ids(caller, filter, this.settings.EVENT_BATCH_MAX);
    const asked = keyed(caller, idempotencyKey, `replay events ${deliver} ${inOrder(filter)}`);
    return { ...(await this.begin(caller, 'replay', deliver, asked, ids)), more };
  }

  async redrive(caller: Principal, filter: DeadLetterFilter, idempotencyKey: string | null): Promise<BatchBegun> {
    const { organizationId, projectId } = caller;
    const max = this.settings.EVENT_BATCH_MAX;
    const query = { ...deadLetterQuery(filter), organizationId, projectId, state: 'open' as const, limit: max + 1 };
    const ids = (await listDeadLetters(this.db, query)).map(({ id }) => id);
    const asked = keyed(caller, idempotencyKey, `redrive ${inOrder(filter)}`);
    const begun = await this.begin(caller, 'redrive', false, asked, ids.slice(0, max));
    return { ...begun, more: ids.length > max };
  }

  /** @throws Problem 404 `batch_not_found` */
  async progress(scope: ProjectScope, id: string): Promise<BatchProgress> {
    const progress = await batchProgress(this.db, scope.organizationId, scope.projectId, id);
    if (!progress) throw notFound('batch', id);
    return progress;
  }

  async cancel(scope: ProjectScope, id: string): Promise<BatchProgress> {
    await this.progress(scope, id);
    await cancelBatch(this.db, id);
    return this.progress(scope, id);
  }

  private async begin(
    caller: Principal,
    kind: Batch['kind'],
    deliver: boolean,
    asked: KeyedRequest | null,
    ids: string[],
  ): Promise<BatchProgress> {
    const owner = { ...columnsOf(caller), created_by: askerOf(caller) };
    const { batch_id } = await this.db.transaction((tx) =>
      once(tx, 'router', asked, async () => ({ batch_id: await createBatch(tx, { ...owner, kind, deliver }, ids) })),
    );
    this.sweeper.soon();
    return this.progress(caller, batch_id);
  }

  private async work(limit: number): Promise<number> {
    const taken = await takeBatchItems(this.db, limit, leaseMs);
    if (!taken) return 0;
    for (const item of taken.items) {
      await endBatchItem(this.db, taken.batch.id, item.subject_id, await this.attempt(taken.batch, item));
    }
    // Fewer items than exist may have been taken, where a batch ended: look again at once.
    return limit;
  }

  /** @returns the error, or null */
  private async attempt(batch: Batch, item: BatchItem): Promise<string | null> {
    const caller: Principal = {
      subject: batch.created_by,
      ...scopeOf(batch),
      scopes: [],
    };
    // A replay creates new runs: if that may have happened already, a person has to look at it.
    if (batch.kind === 'replay' && item.interrupted) return 'interrupted: check its runs before replaying it again';
    try {
      if (batch.kind === 'replay')
        await this.replayer.replay(caller, item.subject_id, { deliver: batch.deliver, target: null }, null);
      else await this.redriver.redrive(caller, item.subject_id, null);
      return null;
    } catch (error) {
      return error instanceof Problem ? `${error.code}: ${error.detail}` : 'internal_error';
    }
  }
}

/** A filter as text, independent of the order of its fields. */
function inOrder(filter: object): string {
  return JSON.stringify(filter, Object.keys(filter).toSorted());
}
