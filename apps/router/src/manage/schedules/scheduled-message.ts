import { columnsOf, messageKey, newId, scopeOf } from '#libs/contracts';
import { Database } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { type Packed, type StoredMessage, unpacked } from '../../entities/message.entity.js';
import { Clock } from '../../path/guards/loop-breaker.js';
import { type Draft, newDraft } from '../../path/routing/draft.js';
import { RoutingService } from '../../path/routing/routing.service.js';
import type { ScheduleRow, ScheduleTick } from './schedule.entity.js';
import type { Started } from './schedule-tick.repository.js';

/** The message of a tick, as it was routed. `refused`: why nothing took it; null: its turns have begun. */
export interface RoutedTick extends Started {
  refused: string | null;
}

/** For messages of schedules: what an App's id is for others. */
export const scheduleSource = (scheduleId: string): string => `schedule:${scheduleId}`;

/** The schedule that is named as an App is; null: it is none. */
export const scheduleIn = (appId: string): string | null => /^schedule:(.+)$/.exec(appId)?.[1] ?? null;

const keyOf = (tick: ScheduleTick): string => `tick:${tick.id}`;

/** Routes the message of a tick once, however often its tick is claimed: the claim of its key decides. */
@Injectable()
export class ScheduledMessages {
  constructor(
    private readonly routing: RoutingService,
    private readonly clock: Clock,
    private readonly db: Database,
  ) {}

  async start(schedule: ScheduleRow, tick: ScheduleTick): Promise<RoutedTick> {
    const at = new Date(this.clock.nowMs());
    const draft = draftOf(schedule, tick, at);
    const [routed] = await this.routing.commit([draft]);
    if (!routed) throw new Error('a draft was neither routed nor claimed before');
    if ('plan' in routed) return { ...startedAs({ ...routed.plan.message, turns: routed.plan.turns }), started_at: at };
    const before = await this.before(schedule, tick);
    if (!before) throw new Error(`the message of tick ${tick.id} was claimed, and is not kept`);
    return before;
  }

  /** What an earlier claim of the tick has routed; null: nothing. */
  async before(schedule: ScheduleRow, tick: ScheduleTick): Promise<RoutedTick | null> {
    const [row] = (await this.db.query(
      `SELECT m.* FROM router.claim c JOIN router.message m ON m.id = c.message_id
        WHERE c.key = $1 AND m.organization_id = $2 AND m.project_id = $3`,
      [messageKey(scheduleSource(schedule.id), keyOf(tick)), schedule.organization_id, schedule.project_id],
    )) as Packed<StoredMessage>[];
    return row ? startedAs(unpacked(row)) : null;
  }
}

function startedAs({
  receipt_id,
  turns,
  created_at,
  reason,
  outcome,
}: Pick<StoredMessage, 'receipt_id' | 'turns' | 'created_at' | 'reason' | 'outcome'>): RoutedTick {
  return {
    event_id: receipt_id,
    run_id: turns[0]?.run?.id ?? null,
    started_at: created_at,
    refused: turns.length > 0 ? null : (reason ?? outcome),
  };
}

function draftOf(schedule: ScheduleRow, tick: ScheduleTick, now: Date): Draft {
  const { id, name, time_zone, workflow_id, agent_id, message } = schedule;
  const job = {
    receipt_id: newId('evt'),
    ...columnsOf(scopeOf(schedule)),
    app_id: scheduleSource(id),
    app_kind: 'builtin' as const,
    received_at: now.toISOString(),
    verified_scheme: 'schedule',
    // A member of the project wrote it.
    text_from: 'system' as const,
    app_sends: false,
  };
  const due = { schedule_id: id, tick_id: tick.id, due_at: tick.at.toISOString() };
  const accepted = { stage: 'received' as const, outcome: 'accepted' as const, reason: null, attempt: 1 };
  const received = { ...accepted, at: now.toISOString(), duration_ms: null, detail: { by: 'schedule', ...due } };
  const draft = newDraft(
    job,
    {
      event_type: 'schedule',
      sender: name,
      message,
      is_bot: false,
      thread_id: id,
      metadata: { schedule: { id, name, due_at: tick.at.toISOString(), time_zone } },
    },
    0,
    { job: { ...job, entries: [received] }, attempt: 1, startedMs: performance.now(), messages: 1, from: 'router' },
  );
  return {
    ...draft,
    dedupKey: keyOf(tick),
    startedBy: schedule.set_by,
    workflowId: workflow_id ?? undefined,
    agentId: agent_id ?? undefined,
    place: null,
    durable: true,
  };
}
