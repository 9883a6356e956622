import { scopeOf } from '#libs/contracts';
import { Liveness, type Queryable, Sweeping } from '#libs/database';
import { type Policy, settlementOf, type Verdict, verdictOf } from '#libs/work';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type RouterSettings, SETTINGS } from '../../env.js';
import { Clock } from '../../path/guards/loop-breaker.js';
import { EngineRuns } from '../../path/handover/engine-runs.js';
import { CronTimes } from './cron-times.js';
import type { ScheduleRow, ScheduleTick, TickState } from './schedule.entity.js';
import { ScheduleRepository } from './schedule.repository.js';
import { overlapCode, ScheduleTickRepository, type Started } from './schedule-tick.repository.js';
import { ScheduledMessages } from './scheduled-message.js';

const schedulesAtOnce = 20;
/** Ticks of one schedule that are stored in one transaction. */
const ticksAtOnce = 500;
const startsAtOnce = 50;
/** For so long a turn that the engine does not know counts as one that it has not taken yet. */
const unseenMs = 3_600_000;
const endedTurns: ReadonlySet<string> = new Set(['succeeded', 'failed', 'collected', 'handled']);
/** A tick that cannot be started is tried for a day. */
const policy: Policy = {
  tries: Number.MAX_SAFE_INTEGER,
  backoff: { baseMs: 1_000, capMs: 60_000 },
  jitter: 0.2,
  ageMs: 86_400_000,
  failuresAge: true,
};

/** How a tick ends, or that it waits. */
type Ending = { as: TickState; reason: string | null; started: Started | null } | 'wait';

/** Stores the ticks of schedules before they are due, and starts those that are. */
@Injectable()
export class ScheduleRunner extends Sweeping {
  private readonly logger = new Logger('schedules');
  private readonly sweeper;

  constructor(
    private readonly schedules: ScheduleRepository,
    private readonly ticks: ScheduleTickRepository,
    private readonly messages: ScheduledMessages,
    private readonly engine: EngineRuns,
    private readonly clock: Clock,
    losses: Liveness,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {
    super();
    this.sweeper = this.sweepEvery({
      name: 'schedules',
      everyMs: settings.SCHEDULE_EVERY_MS,
      batch: 1,
      losses,
      // A death says nothing about a tick: its message is as short as others that are routed beside it.
      afterLoss: () => ticks.work.freeGone(null),
      sweep: () => this.sweep(),
    });
  }

  /** A schedule was made or changed. */
  soon(): void {
    this.sweeper.soon();
  }

  /** @returns 0 when nothing is left to do now */
  private async sweep(): Promise<number> {
    const now = new Date(this.clock.nowMs());
    // Half of the time ahead passes before a schedule is planned again.
    const by = new Date(now.getTime() + this.settings.SCHEDULE_AHEAD_MS / 2);
    const planned = await this.schedules.planNext(by, schedulesAtOnce, (tx, row) => this.plan(tx, row, now));
    if (!(await this.ticks.isAnyDue(now))) return planned;
    await this.ticks.queueUp(now);
    await this.ticks.miss(now);
    const due = await this.ticks.claimDue(startsAtOnce, now);
    await Promise.all(
      due.map((tick) => this.ticks.work.run({ key: tick.id, claim: tick.claim }, () => this.end(tick))),
    );
    return planned + due.length;
  }

  private async plan(tx: Queryable, row: ScheduleRow, now: Date): Promise<void> {
    const until = now.getTime() + this.settings.SCHEDULE_AHEAD_MS;
    const times = new CronTimes(row.cron, row.time_zone).times(row.planned_until.getTime(), ticksAtOnce, until);
    const last = times.length === ticksAtOnce ? times.at(-1) : undefined;
    await this.ticks.plan(tx, row, times, new Date(last ?? until));
  }

  /** Starts a claimed tick, or says why not; stores what became of it. */
  private async end(tick: ScheduleTick): Promise<void> {
    try {
      const schedule = await this.schedules.byId(tick.schedule_id);
      // It was deleted with its ticks.
      if (!schedule) return;
      const ending = await this.ending(schedule, tick);
      if (ending === 'wait') return await this.settle(tick, this.waits);
      const { as, reason, started } = ending;
      const done = settlementOf(tick.id, tick, { do: 'done' }, policy);
      await this.ticks.settle({ ...done, state: as, reason }, started);
    } catch (error) {
      const verdict = verdictOf(error);
      this.logger.warn({ event: 'tick.not_started', tick: tick.id, verdict: verdict.do, error: String(error) });
      await this.settle(tick, verdict);
    }
  }

  private async ending(schedule: ScheduleRow, tick: ScheduleTick): Promise<Ending> {
    // A process may have died after it routed the message.
    const before = tick.claim > 1 ? await this.messages.before(schedule, tick) : null;
    if (!before && !schedule.active) return { as: 'skipped', reason: 'schedule_off', started: null };
    if (!before && schedule.overlap !== 'allow' && (await this.isBusy(schedule, tick))) {
      return schedule.overlap === 'queue' ? 'wait' : { as: 'skipped', reason: overlapCode, started: null };
    }
    const { refused, ...started } = before ?? (await this.messages.start(schedule, tick));
    if (refused !== null) return { as: 'skipped', reason: refused, started };
    const isLate = started.started_at.getTime() - tick.at.getTime() > schedule.late_after_s * 1_000;
    return { as: isLate ? 'late' : 'ran', reason: isLate ? tick.reason : null, started };
  }

  /** Whether a turn of the tick before is open. @throws Problem 503 when the engine does not answer */
  private async isBusy(schedule: ScheduleRow, tick: ScheduleTick): Promise<boolean> {
    const event = await this.ticks.eventBefore(tick);
    if (!event) return false;
    const { turns } = await this.engine.ofReceipt(scopeOf(schedule), event.id);
    if (turns.some(({ state }) => !endedTurns.has(state))) return true;
    const known = new Set(turns.map(({ id }) => id));
    return event.turns.some((id) => !known.has(id)) && this.clock.nowMs() - event.at.getTime() < unseenMs;
  }

  private async settle(tick: ScheduleTick, verdict: Verdict): Promise<void> {
    const settlement = settlementOf(tick.id, tick, verdict, policy);
    const state = settlement.state === 'queued' ? 'queued' : 'missed';
    await this.ticks.settle({ ...settlement, state }, null);
  }

  /** Before the next sweep of this process, so that each sweep looks again. */
  private get waits(): Verdict {
    return { do: 'later', ms: this.settings.SCHEDULE_EVERY_MS / 2, code: overlapCode, ages: false };
  }
}
