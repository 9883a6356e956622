import { columnsOf, newId } from '#libs/contracts';
import { EventResultRepository } from '../events/event-result.repository.js';
import {
  askerOf,
  invalidCursor,
  notFound,
  type Page,
  pageOf,
  type PageQuery,
  type Principal,
  Problem,
} from '#libs/service-kit';
import type { EventResult } from '#libs/journal';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../path/guards/loop-breaker.js';
import { NamedAgents } from '../agents/named-agents.js';
import { WorkflowRepository } from '../workflows/workflow.repository.js';
import { CronProblem, CronTimes } from './cron-times.js';
import type { ScheduleRow, ScheduleTick } from './schedule.entity.js';
import { ScheduleRepository } from './schedule.repository.js';
import { ScheduleRunner } from './schedule-runner.service.js';
import { ScheduleTickRepository } from './schedule-tick.repository.js';

/** What people set. */
export type ScheduleFields = Pick<
  ScheduleRow,
  | 'name'
  | 'cron'
  | 'time_zone'
  | 'workflow_id'
  | 'agent_id'
  | 'message'
  | 'late_after_s'
  | 'overlap'
  | 'catch_up'
  | 'active'
>;

/** A tick with what became of its event; null: it has none, or it is no longer kept. */
export type ResultingTick = ScheduleTick & { result: EventResult | null };

const shownTimes = 10;

@Injectable()
export class ScheduleService {
  constructor(
    private readonly schedules: ScheduleRepository,
    private readonly ticks: ScheduleTickRepository,
    private readonly runner: ScheduleRunner,
    private readonly workflows: WorkflowRepository,
    private readonly agents: NamedAgents,
    private readonly results: EventResultRepository,
    private readonly clock: Clock,
  ) {}

  list(caller: Principal): Promise<ScheduleRow[]> {
    return this.schedules.all(caller);
  }

  /** @throws Problem 404 */
  async get(caller: Principal, id: string): Promise<ScheduleRow> {
    const row = await this.schedules.find(caller, id);
    if (!row) throw notFound('schedule', id);
    return row;
  }

  /** @throws Problem 409 `too_many_schedules`; 422 */
  async create(caller: Principal, fields: ScheduleFields): Promise<ScheduleRow> {
    await this.requireValid(caller, fields);
    const now = new Date(this.clock.nowMs());
    const ids = { id: newId('sch'), ...columnsOf(caller), set_by: askerOf(caller) };
    const row = { ...ids, ...fields, planned_until: now, created_at: now, updated_at: now };
    await this.schedules.insert(row);
    this.runner.soon();
    return row;
  }

  /** Takes effect for the ticks that are not yet due. @throws Problem 404; 422 */
  async change(caller: Principal, id: string, given: Partial<ScheduleFields>): Promise<ScheduleRow> {
    const fields = { ...(await this.get(caller, id)), ...given };
    await this.requireValid(caller, fields);
    const row = await this.schedules.change(caller, id, async (tx, old) => {
      const now = new Date(this.clock.nowMs());
      const changed = { ...given, set_by: askerOf(caller), updated_at: now };
      const next = { ...old, ...given };
      const isPlanned = old.cron === next.cron && old.time_zone === next.time_zone && old.active === next.active;
      if (isPlanned) return changed;
      await this.ticks.unplan(tx, id, now);
      if (!next.active) await this.ticks.skipDue(tx, id);
      // What was due before stays; what is not stored by now never comes.
      return { ...changed, planned_until: now };
    });
    if (!row) throw notFound('schedule', id);
    this.runner.soon();
    return row;
  }

  /** With its ticks; their events stay. @throws Problem 404 */
  async remove(caller: Principal, id: string): Promise<void> {
    const row = await this.schedules.change(caller, id, async (tx) => {
      await this.ticks.remove(tx, id);
      return 'remove';
    });
    if (!row) throw notFound('schedule', id);
  }

  /** The next times of a schedule, whether it is active or not. @throws Problem 422 `invalid_fields` */
  next({ cron, time_zone }: Pick<ScheduleRow, 'cron' | 'time_zone'>, limit = shownTimes): Date[] {
    return timesOf(cron, time_zone)
      .times(this.clock.nowMs(), limit)
      .map((ms) => new Date(ms));
  }

  /** One page of the ticks that were due by now, the last first. @throws Problem 404; 400 `invalid_cursor` */
  async ticksOf(caller: Principal, id: string, { limit, cursor }: PageQuery): Promise<Page<ResultingTick>> {
    await this.get(caller, id);
    const before = cursor === undefined ? null : new Date(cursor);
    if (before && Number.isNaN(before.getTime())) throw invalidCursor();
    const rows = await this.ticks.list(id, new Date(this.clock.nowMs()), before, limit + 1);
    const page = pageOf(rows, limit, ({ at }) => at.toISOString());
    const events = page.data.flatMap(({ event_id: event }) => event ?? []);
    const results = await this.results.of(caller, events);
    return { ...page, data: page.data.map((tick) => ({ ...tick, result: results.get(tick.event_id ?? '') ?? null })) };
  }

  private async requireValid(caller: Principal, fields: ScheduleFields): Promise<void> {
    const { cron, time_zone, workflow_id, agent_id, message } = fields;
    timesOf(cron, time_zone);
    if ((workflow_id === null) === (agent_id === null)) {
      throw invalid('workflow_id', 'give either workflow_id or agent_id: what the schedule starts');
    }
    if (agent_id !== null && message.trim() === '') throw invalid('message', 'say what the agent is to do');
    await this.agents.require(caller, agent_id);
    if (workflow_id === null) return;
    const workflow = await this.workflows.find(caller.projectId, workflow_id);
    if (workflow?.organization_id === caller.organizationId) return;
    throw invalid('workflow_id', `there is no workflow ${workflow_id} in this project`);
  }
}

function timesOf(cron: string, zone: string): CronTimes {
  try {
    return new CronTimes(cron, zone);
  } catch (error) {
    if (error instanceof CronProblem) throw invalid(error.field, error.message);
    throw error;
  }
}

function invalid(field: string, message: string): Problem {
  return new Problem(422, 'invalid_fields', 'Some fields are not valid.', [{ field, message }]);
}
