import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { RunRow } from './run.entity.js';

@Injectable()
export class RunRepository {
  constructor(@InjectRepository(RunRow) private readonly rows: Repository<RunRow>) {}

  find(organizationId: string, projectId: string, id: string): Promise<RunRow | null> {
    return this.rows.findOneBy({ id, organization_id: organizationId, project_id: projectId });
  }

  ofReceipt(organizationId: string, receiptId: string): Promise<RunRow[]> {
    return this.rows.find({ where: { organization_id: organizationId, receipt_id: receiptId }, order: { id: 'ASC' } });
  }

  list(
    organizationId: string,
    projectId: string,
    filter: { workflowId: number | null; state: string | null; cursor: string | null; limit: number },
  ): Promise<RunRow[]> {
    const query = this.rows
      .createQueryBuilder('run')
      .where('run.organization_id = :organizationId AND run.project_id = :projectId', { organizationId, projectId })
      .orderBy('run.id', 'DESC')
      .limit(filter.limit);
    if (filter.workflowId) query.andWhere('run.workflow_id = :workflowId', { workflowId: filter.workflowId });
    if (filter.state) query.andWhere('run.state = :state', { state: filter.state });
    if (filter.cursor) query.andWhere('run.id < :cursor', { cursor: filter.cursor });
    return query.getMany();
  }
}
