import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { TriggerRow, WorkflowRow } from '../../entities/rules.entity.js';

const maxWorkflowId = 2_147_483_647;

@Injectable()
export class WorkflowRepository {
  constructor(
    @InjectRepository(WorkflowRow) private readonly workflows: Repository<WorkflowRow>,
    @InjectRepository(TriggerRow) private readonly triggers: Repository<TriggerRow>,
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
  async insert(row: Omit<WorkflowRow, 'id'>): Promise<WorkflowRow> {
    return this.workflows.manager.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`router-workflow-${row.project_id}`]);
      const [last] = (await tx.query('SELECT max(id) AS id FROM router.workflow WHERE project_id = $1', [
        row.project_id,
      ])) as { id: number | null }[];
      const full = { ...row, id: (last?.id ?? 0) + 1 };
      await tx.insert(WorkflowRow, full);
      return full;
    });
  }

  async update(projectId: string, id: number, change: Partial<WorkflowRow>): Promise<void> {
    await this.workflows.update({ project_id: projectId, id }, change);
  }

  listTriggers(projectId: string): Promise<TriggerRow[]> {
    return this.triggers.find({ where: { project_id: projectId }, order: { id: 'ASC' } });
  }

  findTrigger(projectId: string, id: string): Promise<TriggerRow | null> {
    return this.triggers.findOneBy({ project_id: projectId, id });
  }

  async insertTrigger(row: TriggerRow): Promise<void> {
    await this.triggers.insert(row);
  }

  async updateTrigger(projectId: string, id: string, change: Partial<TriggerRow>): Promise<TriggerRow | null> {
    await this.triggers.update({ project_id: projectId, id }, change);
    return this.triggers.findOneBy({ project_id: projectId, id });
  }

  async deleteTrigger(projectId: string, id: string): Promise<boolean> {
    const { affected } = await this.triggers.delete({ project_id: projectId, id });
    return (affected ?? 0) > 0;
  }
}
