import { scopeOf } from '#libs/contracts';
import { Database, Liveness, Sweeping } from '#libs/database';
import { type Policy, settlementOf, type Verdict, verdictOf } from '#libs/work';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type RouterSettings, SETTINGS } from '../../env.js';
import { EngineRuns } from '../../path/handover/engine-runs.js';
import { EventWaits, fulfil, type Fulfilment, waitsFor } from '../../path/routing/event-waits.js';
import type { OpenWait } from '../../path/rules/project-rules.js';
import { compileWaitCondition } from '#libs/expressions';
import type { EventWaitRow } from './event-wait.entity.js';
import { EventWaitRepository } from './event-wait.repository.js';

const batch = 50;
/** A project with many events takes long to read: the waits of the others look back beside it. */
const lookBacksAtOnce = 5;
/** A run that is busy, as it has just stored its wait, is informed again. */
const busyMs = 200;
/** The engine is informed until it hears. */
const policy: Policy = {
  tries: Number.MAX_SAFE_INTEGER,
  backoff: { baseMs: 500, capMs: 30_000 },
  jitter: 0.2,
  ageMs: null,
  failuresAge: false,
};

/** Ends waits whose time is over, reads what came before a wait was known everywhere, and tells the engine of the end. */
@Injectable()
export class WaitRunner extends Sweeping {
  private readonly logger = new Logger('event-waits');
  /** Waits that look back in this process. */
  private readonly looking = new Set<string>();

  constructor(
    private readonly rows: EventWaitRepository,
    private readonly engine: EngineRuns,
    private readonly db: Database,
    waits: EventWaits,
    losses: Liveness,
    @Inject(SETTINGS) settings: RouterSettings,
  ) {
    super();
    const everyMs = settings.EVENT_WAIT_EVERY_MS;
    const sweeper = this.sweepEvery({
      name: 'event-waits',
      everyMs,
      batch,
      losses,
      // A death says nothing about a wait: to tell of it is as short as telling of others.
      afterLoss: () => rows.work.freeGone(null),
      sweep: (limit) => this.sweep(limit),
    });
    // It reads what a project received, and those of other projects neither end nor go on later because of that.
    for (let number = 1; number <= lookBacksAtOnce; number += 1) {
      const name = `event-waits-look-back-${number}`;
      this.sweepEvery({ name, everyMs, batch, sweep: (limit) => this.lookBacks(limit) });
    }
    waits.follow(() => sweeper.soon());
    this.soon = () => sweeper.soon();
  }

  /** A wait has ended. */
  readonly soon: () => void;

  /**
   * Lets events fulfil a wait that were routed since it counts them, the oldest first. What arrives from then on is
   * compared while it is routed.
   */
  async lookBack(row: EventWaitRow): Promise<void> {
    const wait = waitOf(row);
    for (let after = ''; ;) {
      const page = await this.rows.arrivedSince(row, after, batch);
      const found = page.filter((arrived) => waitsFor([wait], arrived).length > 0);
      for (const arrived of found) if (await this.isFulfilled({ wait, arrived })) return;
      const last = page.at(-1);
      if (page.length < batch || !last) return;
      after = last.id;
    }
  }

  private async isFulfilled(fulfilment: Fulfilment): Promise<boolean> {
    return (await fulfil(this.db, [fulfilment], true)).length > 0;
  }

  private async sweep(limit: number): Promise<number> {
    const late = await this.rows.timeOut(limit);
    const due = await this.rows.work.claimDue(limit);
    await Promise.all(due.map((row) => this.rows.work.run({ key: row.id, claim: row.claim }, () => this.report(row))));
    return Math.max(late, due.length);
  }

  /** @returns how many have looked back */
  private async lookBacks(limit: number): Promise<number> {
    let done = 0;
    for (const row of await this.rows.notLookedBack(limit)) {
      if (this.looking.has(row.id)) continue;
      this.looking.add(row.id);
      try {
        if (!(await this.rows.isToLookBack(row.id))) continue;
        await this.lookBack(row);
        await this.rows.lookedBack(row.id);
        done += 1;
      } catch (error) {
        // The next sweep tries it again; the others look back now.
        this.logger.warn({ event: 'wait.not_looked_back', wait: row.id, error: String(error) });
      } finally {
        this.looking.delete(row.id);
      }
    }
    if (done > 0) this.soon();
    return done;
  }

  private async report(row: EventWaitRow): Promise<void> {
    const settlement = settlementOf(row.id, row, await this.heard(row), policy);
    await this.rows.work.settle([settlement]);
  }

  private async heard(row: EventWaitRow): Promise<Verdict> {
    try {
      const { is } = await this.engine.waitEnded(scopeOf(row), row.turn_id, row.id);
      return is === 'busy' ? { do: 'later', ms: busyMs, code: 'run_busy', ages: false } : { do: 'done' };
    } catch (error) {
      const verdict = verdictOf(error);
      this.logger.warn({ event: 'wait.not_told', wait: row.id, verdict: verdict.do, error: String(error) });
      return verdict;
    }
  }
}

function waitOf({ where, ...row }: EventWaitRow): OpenWait {
  return { ...row, compiled: where === null ? null : compileWaitCondition(where) };
}
