import type { TurnRunPayload } from '#libs/contracts';
import { Journal } from '#libs/journal';
import { ProjectLimits } from '#libs/project-limits';
import { RunLater } from '#libs/queue';
import { LeaseLost } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Claim } from '../../entities/turn.entity.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { entryOf, TurnEnqueuer } from './start-next.js';
import { TurnRepository } from './turn.repository.js';
import { postponed, type Tried } from './turn.verdict.js';

/** The turns that this process stores or runs: never one twice, and each can be stopped. */
@Injectable()
export class TurnLeases {
  private readonly entered = new Map<string, { controller: AbortController; claimed: boolean }>();

  constructor(private readonly turns: TurnRepository) {}

  /** Marks a turn as entered here. @returns whether it was not before */
  enter(turnId: string): boolean {
    if (this.entered.has(turnId)) return false;
    this.entered.set(turnId, { controller: new AbortController(), claimed: false });
    return true;
  }

  /** Whether it was claimed here and still holds its lease. */
  isRunning(turnId: string): boolean {
    const run = this.entered.get(turnId);
    return run !== undefined && run.claimed && !run.controller.signal.aborted;
  }

  /** Runs an entered turn under its lease. @param act gets a signal that aborts with `LeaseLost` */
  during(claim: Claim, act: (lost: AbortSignal) => Promise<void>): Promise<void> {
    const run = this.entered.get(claim.turn_id);
    if (!run) throw new Error(`the turn ${claim.turn_id} was not entered`);
    run.claimed = true;
    const { controller } = run;
    return this.turns.work.run({ key: claim.turn_id, claim: claim.claim }, (lost) => {
      lost.addEventListener('abort', () => controller.abort(lost.reason), { once: true });
      return act(controller.signal);
    });
  }

  /** Stops a turn that runs here. One that runs elsewhere stops at its next write or renewal. */
  abort(turnId: string): void {
    this.entered.get(turnId)?.controller.abort(new LeaseLost('the turn was cancelled'));
  }

  leave(turnId: string): void {
    this.entered.delete(turnId);
  }
}

const slotCode = 'project_turns';
/**
 * A waiting turn is enqueued when a turn of its project ends. This covers ends that are missed, such as a process that
 * died.
 */
const retryAfterMs = 2_000;

/** Keeps a project's concurrent turns within its limit, across all replicas. */
@Injectable()
export class TurnSlots {
  constructor(
    private readonly db: DataSource,
    private readonly turns: TurnRepository,
    private readonly limits: ProjectLimits,
    private readonly enqueuer: TurnEnqueuer,
    private readonly journal: Journal,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** Concurrent turns of a project; 0: no limit. */
  private limitOf(projectId: string): number {
    return this.limits.of(projectId).concurrent_turns ?? this.settings.PROJECT_CONCURRENT_TURNS;
  }

  /**
   * Runs a claimed turn in a slot of its project. Without a free one it reschedules the turn in its row, which costs no
   * try.
   * @throws RunLater `project_turns`
   */
  async during<T>(payload: TurnRunPayload, tried: Tried, act: () => Promise<T>): Promise<T> {
    await this.take(payload, tried);
    try {
      return await act();
    } finally {
      await this.enqueueNext(payload.project_id);
    }
  }

  private async take(payload: TurnRunPayload, tried: Tried): Promise<void> {
    const limit = this.limitOf(payload.project_id);
    if (limit === 0 || (await this.taken(payload.project_id, tried.id, limit))) return;
    const delayMs = retryAfterMs + Math.ceil(Math.random() * retryAfterMs);
    await this.turns.release(postponed(tried, slotCode, delayMs, this.settings));
    const advice = adviceFor(limit);
    // The timeline has it where the turn waited for the same before.
    if (tried.reason !== slotCode) this.journal.append(entryOf({ ...payload, ...tried }, 'held', slotCode, { advice }));
    throw new RunLater(delayMs, slotCode, advice);
  }

  /** A turn ended or waits, so the project's next turn that waits for a slot can have it. */
  private async enqueueNext(projectId: string): Promise<void> {
    if (this.limitOf(projectId) === 0) return;
    const waiting = `project_id = $1 AND reason = '${slotCode}'`;
    // A turn that is missed here looks again by itself.
    const next = await this.turns.work.expedite(waiting, [projectId], '*', 1).catch(() => []);
    this.enqueuer.enqueue(next);
  }

  private taken(projectId: string, turnId: string, limit: number): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`turn-slots-${projectId}`]);
      await tx.query(
        `DELETE FROM engine.turn_slot s WHERE s.project_id = $1
           AND NOT EXISTS (SELECT FROM engine.turn t WHERE t.id = s.turn_id AND t.state = 'running')`,
        [projectId],
      );
      const rows = (await tx.query(
        `INSERT INTO engine.turn_slot AS s (project_id, turn_id) SELECT $1, $2
          WHERE (SELECT count(*) FROM engine.turn_slot WHERE project_id = $1 AND turn_id <> $2) < $3
         ON CONFLICT (project_id, turn_id) DO UPDATE SET turn_id = excluded.turn_id RETURNING turn_id`,
        [projectId, turnId, limit],
      )) as unknown[];
      return rows.length > 0;
    });
  }
}

function adviceFor(limit: number): string {
  return `Its project already runs ${limit} turns, which is its limit. The turn continues when one of them ends. Raise concurrent_turns of the project, or PROJECT_CONCURRENT_TURNS.`;
}
