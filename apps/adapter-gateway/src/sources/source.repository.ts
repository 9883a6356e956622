import { AuditLog } from '#libs/audit';
import { columnsOf, type ProjectScope } from '#libs/contracts';
import { containing, type Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { isDeepStrictEqual } from 'node:util';
import { DataSource, type EntityManager, Repository } from 'typeorm';
import { disown, holdDocuments, republishDocuments } from './knowledge-feed.repository.js';
import { SourceRow } from './source.entity.js';

type WhoMayRead = Pick<SourceRow, 'audience' | 'access_from' | 'access_rules'>;

function whoMayRead({ audience, access_from, access_rules }: WhoMayRead): WhoMayRead {
  return { audience, access_from, access_rules };
}

const ofAllDocuments = ['trust', 'audience', 'access_from', 'access_rules'] as const;

@Injectable()
export class SourceRepository {
  constructor(
    private readonly db: DataSource,
    @InjectRepository(SourceRow) private readonly rows: Repository<SourceRow>,
    private readonly audit: AuditLog,
  ) {}

  async insert(by: Principal, row: SourceRow): Promise<void> {
    await this.db.transaction(async (manager) => {
      await manager.insert(SourceRow, row as object);
      if (row.trust !== 'untrusted') await this.noted(manager, by, row.id, null, row.trust);
    });
  }

  /** A change of trust, or of who may read, concerns all documents of the source, and goes to the audit log. */
  async update(by: Principal, id: string, change: Partial<SourceRow>): Promise<void> {
    const republishes = ofAllDocuments.some((setting) => change[setting] !== undefined);
    await this.db.transaction(async (manager) => {
      if (republishes) await holdDocuments(manager, id);
      const before = await manager.findOne(SourceRow, { where: { id }, lock: { mode: 'pessimistic_write' } });
      if (!before) return;
      const { trust = before.trust } = change;
      if (trust !== before.trust) await this.noted(manager, by, id, before.trust, trust);
      const [was, is] = [whoMayRead(before), whoMayRead({ ...before, ...change })];
      if (!isDeepStrictEqual(was, is)) {
        await this.audit.append(manager, by, { action: 'source.access_set', subject: id, before: was, after: is });
      }
      await manager.update(SourceRow, { id }, { ...change, updated_at: new Date() } as object);
      if (republishes) await republishDocuments(manager, id);
    });
  }

  private async noted(
    tx: EntityManager,
    by: Principal,
    subject: string,
    before: SourceRow['trust'] | null,
    trust: SourceRow['trust'],
  ): Promise<void> {
    const change = { before: before && { trust: before }, after: { trust } };
    await this.audit.append(tx, by, { action: 'source.trust_set', subject, ...change });
  }

  find(scope: ProjectScope, id: string): Promise<SourceRow | null> {
    return this.rows.findOneBy({ id, ...columnsOf(scope) });
  }

  byId(id: string): Promise<SourceRow | null> {
    return this.rows.findOneBy({ id });
  }

  ofApp(appId: string): Promise<SourceRow[]> {
    return this.rows.findBy({ app_id: appId });
  }

  list(scope: ProjectScope, cursor: string | null, limit: number, search: string | null = null): Promise<SourceRow[]> {
    const query = this.rows
      .createQueryBuilder('source')
      .where('source.organization_id = :organizationId AND source.project_id = :projectId', { ...scope })
      .orderBy('source.id')
      .limit(limit);
    if (cursor) query.andWhere('source.id > :cursor', { cursor });
    if (search) {
      const part = containing(search);
      query.andWhere('(source.name ILIKE :part OR source.resource_path ILIKE :part)', { part });
    }
    return query.getMany();
  }

  /**
   * Deletes a source with everything that came from it; a run in progress loses its lease. The engine is informed
   * afterwards, document by document.
   */
  async delete(id: string): Promise<void> {
    await this.db.transaction(async (manager) => {
      for (const table of ['sync_run', 'source_change']) {
        await manager.query(`DELETE FROM gateway.${table} WHERE source_id = $1`, [id]);
      }
      await holdDocuments(manager, id);
      await manager.delete(SourceRow, { id });
      await disown(manager, id);
    });
  }
}
