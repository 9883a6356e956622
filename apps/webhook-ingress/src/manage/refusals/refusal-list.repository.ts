import type { Order } from '#libs/contracts';
import { keyset } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Refusal } from '../../entities/ingress.entity.js';

interface Page {
  appId: string | null;
  /** Whether the same delivery came again; null: either. */
  returned: boolean | null;
  cursor: string | null;
  order: Order;
  limit: number;
}

@Injectable()
export class RefusalListRepository {
  constructor(@InjectRepository(Refusal) private readonly rows: Repository<Refusal>) {}

  /** A project's refusals, or those of one App. */
  list(organizationId: string, projectId: string, { appId, returned, cursor, order, limit }: Page): Promise<Refusal[]> {
    const query = this.rows
      .createQueryBuilder('refusal')
      .where('refusal.organization_id = :organizationId AND refusal.project_id = :projectId', {
        organizationId,
        projectId,
      })
      .andWhere(keyset('refusal.id', ':cursor', order).after, { cursor })
      .orderBy('refusal.id', order === 'asc' ? 'ASC' : 'DESC')
      .limit(limit);
    if (appId) query.andWhere('refusal.app_id = :appId', { appId });
    if (returned !== null) query.andWhere(`refusal.event_id IS ${returned ? 'NOT NULL' : 'NULL'}`);
    return query.getMany();
  }
}
