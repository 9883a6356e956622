import type { AskedWait, ProjectScope, WaitAnswer } from '#libs/contracts';
import { compileWaitCondition } from '#libs/expressions';
import { notFound, type Page, pageOf, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type RouterSettings, SETTINGS } from '../../env.js';
import { sanitiseEventType } from '../../path/routing/draft.js';
import { ProjectRules } from '../../path/rules/project-rules.js';
import type { EventWaitRow } from './event-wait.entity.js';
import { EventWaitRepository, type WaitFilter } from './event-wait.repository.js';
import { WaitRunner } from './wait-runner.service.js';

/** Runs that wait for an event: what the engine asks, and what people see and end. */
@Injectable()
export class EventWaitService {
  constructor(
    private readonly rows: EventWaitRepository,
    private readonly runner: WaitRunner,
    private readonly rules: ProjectRules,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {}

  /**
   * Stores a wait if it is new, and says what has become of it. The engine may ask any number of times.
   * @throws Problem 409 `too_many_event_waits`; 422 `wait_reads_too_much`, `invalid_condition`
   */
  async ask(scope: ProjectScope, id: string, asked: AskedWait): Promise<WaitAnswer> {
    const known = await this.rows.find(scope, id);
    if (known) return this.answer(known);
    this.requireFit(asked);
    const event_type = asked.event_type === null ? null : sanitiseEventType(asked.event_type);
    await this.rows.insert(scope, id, { ...asked, event_type });
    // This router compares what arrives from now on; the others hear of it in a moment.
    this.rules.forgetWaits(scope.projectId);
    const row = await this.rows.find(scope, id);
    if (!row) throw notFound('event wait', id);
    if (asked.since !== null) await this.runner.lookBack(row);
    return this.answer((await this.rows.find(scope, id)) ?? row);
  }

  /** One page of the waits of a project or of a run, the last first. */
  async list(scope: ProjectScope, filter: WaitFilter): Promise<Page<EventWaitRow>> {
    const rows = await this.rows.list(scope, { ...filter, limit: filter.limit + 1 });
    return pageOf(rows, filter.limit, ({ id }) => id);
  }

  /** Ends a wait: its run fails at the step. @throws Problem 404; 409 `wait_ended` */
  async cancel(scope: ProjectScope, id: string): Promise<EventWaitRow> {
    const isEnded = await this.rows.cancel(scope, id);
    const row = await this.rows.find(scope, id);
    if (!row) throw notFound('event wait', id);
    if (!isEnded) {
      const detail = `The wait ${id} has ended (${row.outcome}): there is nothing to cancel.`;
      throw new Problem(409, 'wait_ended', detail);
    }
    this.rules.forgetWaits(scope.projectId);
    this.runner.soon();
    return row;
  }

  /** Its run has ended, so nobody waits any more. */
  async withdraw(scope: ProjectScope, id: string): Promise<void> {
    if (await this.rows.cancel(scope, id)) this.rules.forgetWaits(scope.projectId);
  }

  private async answer(row: EventWaitRow): Promise<WaitAnswer> {
    return { state: row.outcome ?? 'waiting', event: await this.rows.eventOf(row) };
  }

  private requireFit({ where, given }: AskedWait): void {
    const most = this.settings.EVENT_WAIT_BYTES;
    const bytes = Buffer.byteLength(JSON.stringify(given));
    if (bytes > most) {
      const detail = `The condition reads ${bytes} bytes of its run; at most ${most} are kept (EVENT_WAIT_BYTES).`;
      throw new Problem(422, 'wait_reads_too_much', detail);
    }
    const compiled = where === null ? null : compileWaitCondition(where);
    if (compiled && 'problem' in compiled) throw new Problem(422, 'invalid_condition', compiled.problem.message);
  }
}
