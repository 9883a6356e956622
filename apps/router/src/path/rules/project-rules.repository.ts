import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ChannelRow } from '../../entities/channel.entity.js';
import { TriggerRow } from '../../entities/trigger.entity.js';
import { WorkflowRow } from '../../entities/workflow.entity.js';

/** The rows by which a project's messages are routed. */
@Injectable()
export class ProjectRulesRepository {
  constructor(private readonly db: DataSource) {}

  /** Read as of one moment, so that no trigger is read without its workflow. */
  async of(projectId: string): Promise<{ workflows: WorkflowRow[]; triggers: TriggerRow[]; channels: ChannelRow[] }> {
    return this.db.transaction('REPEATABLE READ', async (tx) => ({
      workflows: await tx.findBy(WorkflowRow, { project_id: projectId }),
      triggers: await tx.find(TriggerRow, { where: { project_id: projectId, active: true }, order: { id: 'ASC' } }),
      channels: await tx.findBy(ChannelRow, { project_id: projectId }),
    }));
  }
}
