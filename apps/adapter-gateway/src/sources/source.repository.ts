import { Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository } from 'typeorm';
import { disown, offerAgain } from './knowledge-feed.repository.js';
import { SourceRow } from './source.entity.js';

interface Scope {
  organizationId: string;
  projectId: string;
}

@Injectable()
export class SourceRepository {
  constructor(
    @InjectDataSource() private readonly db: DataSource,
    @InjectRepository(SourceRow) private readonly rows: Repository<SourceRow>,
  ) {}

  insert(row: SourceRow): Promise<unknown> {
    return this.rows.insert(row as object);
  }

  /** What it says of its documents' trust concerns all of them. */
  async update(id: string, change: Partial<SourceRow>): Promise<void> {
    await this.db.transaction(async (manager) => {
      await manager.update(SourceRow, { id }, { ...change, updated_at: new Date() } as object);
      if (change.trust !== undefined || change.audience !== undefined) await offerAgain(manager, id);
    });
  }

  find(scope: Scope, id: string): Promise<SourceRow | null> {
    return this.rows.findOneBy({ id, organization_id: scope.organizationId, project_id: scope.projectId });
  }

  byId(id: string): Promise<SourceRow | null> {
    return this.rows.findOneBy({ id });
  }

  ofApp(appId: string): Promise<SourceRow[]> {
    return this.rows.findBy({ app_id: appId });
  }

  list(scope: Scope, cursor: string | null, limit: number): Promise<SourceRow[]> {
    const query = this.rows
      .createQueryBuilder('source')
      .where('source.organization_id = :organizationId AND source.project_id = :projectId', { ...scope })
      .orderBy('source.id')
      .limit(limit);
    if (cursor) query.andWhere('source.id > :cursor', { cursor });
    return query.getMany();
  }

  /**
   * Deletes a source with everything that came from it; a run under way loses its lease by that. The engine is yet to
   * hear of it, document by document.
   */
  async delete(id: string): Promise<void> {
    await this.db.transaction(async (manager) => {
      for (const table of ['sync_run', 'source_change']) {
        await manager.query(`DELETE FROM gateway.${table} WHERE source_id = $1`, [id]);
      }
      await manager.delete(SourceRow, { id });
      await disown(manager, id);
    });
  }
}
