import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AdapterRow } from './adapter.entity.js';

interface Scope {
  organizationId: string;
  projectId: string;
}

@Injectable()
export class AdapterRepository {
  constructor(@InjectRepository(AdapterRow) private readonly rows: Repository<AdapterRow>) {}

  insert(row: AdapterRow): Promise<unknown> {
    return this.rows.insert(row as object);
  }

  update(id: string, change: Partial<AdapterRow>): Promise<unknown> {
    return this.rows.update({ id }, change as object);
  }

  find(scope: Scope, id: string): Promise<AdapterRow | null> {
    return this.rows.findOneBy({ id, organization_id: scope.organizationId, project_id: scope.projectId });
  }

  findBySlug(scope: Scope, slug: string): Promise<AdapterRow | null> {
    return this.rows.findOneBy({ slug, organization_id: scope.organizationId, project_id: scope.projectId });
  }

  byId(id: string): Promise<AdapterRow | null> {
    return this.rows.findOneBy({ id });
  }

  list(scope: Scope): Promise<AdapterRow[]> {
    return this.rows.find({
      where: { organization_id: scope.organizationId, project_id: scope.projectId },
      order: { id: 'ASC' },
    });
  }

  /** Adapters whose last poll is older than this many ms. */
  async dueForPoll(everyMs: number, limit: number): Promise<AdapterRow[]> {
    return this.rows
      .createQueryBuilder('adapter')
      .where('adapter.checked_at IS NULL OR adapter.checked_at < :before', { before: new Date(Date.now() - everyMs) })
      .limit(limit)
      .getMany();
  }
}
