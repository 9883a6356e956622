import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { TriggerRow, WorkflowRow } from '../../entities/rules.entity.js';
import { type Restored, RuleHistory } from '../history/rule-history.js';

const maxWorkflowId = 2_147_483_647;

/** Workflows and triggers. Each change is a version. */
@Injectable()
export class WorkflowRepository {
  constructor(
    @InjectRepository(WorkflowRow) private readonly workflows: Repository<WorkflowRow>,
    @InjectRepository(TriggerRow) private readonly triggers: Repository<TriggerRow>,
    private readonly history: RuleHistory,
  ) {}

  allOf(projectId: string): Promise<WorkflowRow[]> {
    return this.workflows.find({ where: { project_id: projectId }, order: { id: 'ASC' } });
  }

  async find(projectId: string, id: number): Promise<WorkflowRow | null> {
    // Postgres rejects a value outside the range of the column.
    if (id < 1 || id > maxWorkflowId) return null;
    return this.workflows.findOneBy({ project_id: projectId, id });
  }

  /** Inserts with the project's next number. */
  insert(by: Principal, row: Omit<WorkflowRow, 'id'>): Promise<WorkflowRow> {
    return this.history.created(by, 'workflow', async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`router-workflow-${row.project_id}`]);
      const [last] = (await tx.query('SELECT max(id) AS id FROM router.workflow WHERE project_id = $1', [
        row.project_id,
      ])) as { id: number | null }[];
      const full = { ...row, id: (last?.id ?? 0) + 1 };
      await tx.insert(WorkflowRow, full);
      return [String(full.id), full] as const;
    });
  }

  /** @throws Problem 409 `version_changed` */
  update(by: Principal, id: number, change: Partial<WorkflowRow>, restored: Restored | null): Promise<void> {
    return this.history.changed(by, { kind: 'workflow', subject: String(id) }, restored, async (tx) => {
      const where = { project_id: by.projectId, id };
      const before = await tx.findOneByOrFail(WorkflowRow, where);
      await tx.update(WorkflowRow, where, change as object);
      return [before, await tx.findOneByOrFail(WorkflowRow, where)];
    });
  }

  listTriggers(projectId: string): Promise<TriggerRow[]> {
    return this.triggers.find({ where: { project_id: projectId }, order: { id: 'ASC' } });
  }

  findTrigger(projectId: string, id: string): Promise<TriggerRow | null> {
    return this.triggers.findOneBy({ project_id: projectId, id });
  }

  async insertTrigger(by: Principal, row: TriggerRow): Promise<void> {
    await this.history.created(by, 'trigger', async (tx) => {
      await tx.insert(TriggerRow, row);
      return [row.id, row] as const;
    });
  }

  /**
   * @param change of the trigger as it is
   * @returns null when there is no such trigger
   * @throws Problem 409 `version_changed`
   */
  async changeTrigger(
    by: Principal,
    id: string,
    change: (before: TriggerRow) => TriggerRow,
    restored: Restored | null,
  ): Promise<TriggerRow | null> {
    const where = { project_id: by.projectId, id };
    if (!(await this.triggers.existsBy(where))) return null;
    await this.history.changed(by, { kind: 'trigger', subject: id }, restored, async (tx) => {
      const before = await tx.findOneByOrFail(TriggerRow, where);
      const after = change(before);
      await tx.update(TriggerRow, where, after);
      return [before, after];
    });
    return this.triggers.findOneBy(where);
  }

  removeTrigger(by: Principal, id: string): Promise<boolean> {
    return this.history.removed(by, { kind: 'trigger', subject: id }, async (tx) => {
      const where = { project_id: by.projectId, id };
      const row = await tx.findOneBy(TriggerRow, where);
      if (row) await tx.delete(TriggerRow, where);
      return row;
    });
  }
}
