import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AdapterHealthRow } from '../../entities/adapter-health.entity.js';
import { AdapterRow } from '../../entities/app.entity.js';
import { SkillRemovalRow } from '../adapters/skill-removal.entity.js';
import { ConformanceRunRow } from '../../entities/conformance-run.entity.js';
import { ManifestVersionRow } from './manifest-version.entity.js';
import { touchApps, type TouchedApp } from './touched-app.repository.js';

/** An App that keeps its adapter from being unregistered. */
export interface UsingApp {
  id: string;
  name: string;
}

/** Changes of adapters that affect their Apps. */
@Injectable()
export class AdapterChangeRepository {
  constructor(private readonly db: DataSource) {}

  /** @returns the Apps whose endpoints have to be read again */
  change(id: string, change: Partial<AdapterRow>): Promise<TouchedApp[]> {
    return this.db.transaction(async (manager) => {
      const row = await lock(manager, id);
      if (!row) return [];
      if (Object.keys(change).length > 0) await manager.update(AdapterRow, { id }, change as object);
      return change.disabled === undefined ? [] : touchApps(manager, id, row.manifest);
    });
  }

  /**
   * Removes an adapter with its manifests, unless Apps of it are installed.
   * @returns those Apps
   */
  unregister(id: string): Promise<UsingApp[]> {
    return this.db.transaction(async (manager) => {
      const row = await lock(manager, id);
      if (!row) return [];
      const usedBy = await manager.query<UsingApp[]>(
        `SELECT id, name FROM gateway.app WHERE adapter_id = $1 AND state <> 'retired' ORDER BY id`,
        [id],
      );
      if (usedBy.length > 0) return usedBy;
      if (row.skill_announced !== null) {
        const { organization_id, project_id, slug } = row;
        await manager.insert(SkillRemovalRow, { id, organization_id, project_id, slug, created_at: new Date() });
      }
      await manager.delete(ManifestVersionRow, { adapter_id: id });
      await manager.delete(AdapterHealthRow, { adapter_id: id });
      await manager.delete(ConformanceRunRow, { adapter_id: id });
      await manager.delete(AdapterRow, { id });
      return [];
    });
  }
}

function lock(manager: EntityManager, id: string): Promise<AdapterRow | null> {
  return manager.findOne(AdapterRow, { where: { id }, lock: { mode: 'pessimistic_write' } });
}
