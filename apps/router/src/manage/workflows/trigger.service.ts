import { columnsOf, newId } from '#libs/contracts';
import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { NamedApps } from '../channels/named-apps.js';
import { ProjectRules } from '../../path/rules/project-rules.js';
import { compileFilter } from '#libs/expressions';
import type { TriggerRow } from '../../entities/rules.entity.js';
import { type RuleFields, type ruleFields } from '../../entities/rule-version.entity.js';
import type { Restored, Rule } from '../history/rule-history.js';
import { WorkflowRepository } from './workflow.repository.js';

type VersionedTrigger = Pick<TriggerRow, (typeof ruleFields)['trigger'][number]>;

type Rules = Partial<
  Pick<
    TriggerRow,
    | 'event_types'
    | 'limit_per_minute'
    | 'contact_limit_per_hour'
    | 'debounce_seconds'
    | 'debounce_max_seconds'
    | 'active'
  >
> & { where?: string | null };

/** Manages triggers; an expression that cannot run is refused before it is saved. */
@Injectable()
export class TriggerService {
  constructor(
    private readonly workflows: WorkflowRepository,
    private readonly rules: ProjectRules,
    private readonly apps: NamedApps,
  ) {}

  /** @throws Problem 404 for the workflow; 422 `app_not_found`, `invalid_filter`, `invalid_debounce` */
  async create(caller: Principal, given: Rules & { app_id: string; workflow_id: number }): Promise<TriggerRow> {
    if (!(await this.workflows.find(caller.projectId, given.workflow_id)))
      throw notFound('workflow', given.workflow_id);
    await this.apps.require(caller, given.app_id);
    const row: TriggerRow = {
      id: newId('trg'),
      ...columnsOf(caller),
      app_id: given.app_id,
      workflow_id: given.workflow_id,
      event_types: given.event_types ?? [],
      where: checkedFilter(given.where),
      limit_per_minute: given.limit_per_minute ?? null,
      contact_limit_per_hour: given.contact_limit_per_hour ?? null,
      debounce_seconds: given.debounce_seconds ?? null,
      debounce_max_seconds: given.debounce_max_seconds ?? null,
      active: true,
      created_at: new Date(),
    };
    checkDebounce(row);
    await this.workflows.insertTrigger(caller, row);
    this.rules.forget(caller.projectId);
    return row;
  }

  list(caller: Principal): Promise<TriggerRow[]> {
    return this.workflows.listTriggers(caller.projectId);
  }

  find(caller: Principal, id: string): Promise<TriggerRow | null> {
    return this.workflows.findTrigger(caller.projectId, id);
  }

  /** @throws Problem as `create`; 409 `version_changed`. @returns null when there is no such trigger */
  async change(
    caller: Principal,
    id: string,
    { where, ...others }: Rules,
    restored: Restored | null = null,
  ): Promise<TriggerRow | null> {
    // A field that the caller left out is undefined here, and must not count as removed.
    const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
    const filter = where === undefined ? {} : { where: checkedFilter(where) };
    const changed = (before: TriggerRow): TriggerRow => {
      const row = { ...before, ...given, ...filter };
      checkDebounce(row);
      return row;
    };
    const saved = await this.workflows.changeTrigger(caller, id, changed, restored);
    this.rules.forget(caller.projectId);
    return saved;
  }

  async remove(caller: Principal, id: string): Promise<boolean> {
    const removed = await this.workflows.removeTrigger(caller, id);
    this.rules.forget(caller.projectId);
    return removed;
  }

  /** @throws Problem 404 */
  async rule(caller: Principal, id: string): Promise<Rule> {
    if (!(await this.find(caller, id))) throw notFound('trigger', id);
    return { kind: 'trigger', subject: id };
  }

  /** Whether it is active stays as it is. @throws Problem as `change`; 404 */
  async restore(caller: Principal, id: string, fields: RuleFields, restored: Restored): Promise<TriggerRow> {
    const { active: _active, app_id: _app, workflow_id: _workflow, ...rules } = fields as VersionedTrigger;
    const row = await this.change(caller, id, rules, restored);
    if (!row) throw notFound('trigger', id);
    return row;
  }
}

function checkedFilter(where: string | null | undefined): string | null {
  if (where === undefined || where === null || where.trim() === '') return null;
  const compiled = compileFilter(where);
  if ('filter' in compiled) return where;
  const { message, start, end } = compiled.problem;
  throw new Problem(
    422,
    'invalid_filter',
    `The expression cannot be saved: ${message} (characters ${start} to ${end})`,
    [{ field: 'where', message: `${start}-${end}: ${message}` }],
  );
}

function checkDebounce({ debounce_seconds: quiet, debounce_max_seconds: most }: TriggerRow): void {
  if (most === null || (quiet !== null && most >= quiet)) return;
  throw new Problem(
    422,
    'invalid_debounce',
    'debounce_max_seconds needs debounce_seconds, and must be at least as long.',
  );
}
