import type { Manifest } from '#libs/adapter-sdk';
import { newId } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, type EntityManager, Repository } from 'typeorm';
import { AdapterRow } from '../../entities/app.entity.js';
import { manifestDifferences } from '../adapters/manifest-difference.js';
import { ManifestVersionRow } from './manifest-version.entity.js';
import { touchApps, type TouchedApp } from './touched-app.repository.js';

/** Versions of manifests. Which one is in force changes only here, together with the Apps that depend on it. */
@Injectable()
export class ManifestVersionRepository {
  constructor(
    private readonly db: DataSource,
    @InjectRepository(ManifestVersionRow) private readonly rows: Repository<ManifestVersionRow>,
  ) {}

  /** Commits a new adapter with its first version, which is in force. */
  async register(adapter: AdapterRow, fetchedBy: string): Promise<void> {
    await this.db.transaction(async (manager) => {
      await manager.insert(AdapterRow, adapter as object);
      const first = versionOf(adapter, 1, adapter.manifest, fetchedBy);
      first.activated_at = new Date();
      await manager.insert(ManifestVersionRow, first as object);
    });
  }

  /**
   * Stores a fetched manifest, unless it is the newest version already, and puts it in force when nothing in it needs
   * approval.
   */
  async store(
    adapterId: string,
    manifest: Manifest,
    fetchedBy: string,
  ): Promise<{ version: ManifestVersionRow; touched: TouchedApp[] }> {
    return this.db.transaction(async (manager) => {
      const adapter = await lock(manager, adapterId);
      const [newest] = await manager.find(ManifestVersionRow, {
        where: { adapter_id: adapterId },
        order: { number: 'DESC' },
        take: 1,
      });
      if (newest && manifestDifferences(newest.manifest, manifest).length === 0)
        return { version: newest, touched: [] };
      const version = versionOf(adapter, (newest?.number ?? 0) + 1, manifest, fetchedBy);
      const harmless = !version.differences.some((difference) => difference.needs_approval);
      if (harmless) version.activated_at = new Date();
      await manager.insert(ManifestVersionRow, version as object);
      return { version, touched: harmless ? await enforce(manager, version) : [] };
    });
  }

  /** Puts a version in force. @param approvedBy null for a roll-back to one that was in force before */
  async activate(version: ManifestVersionRow, approvedBy: string | null): Promise<TouchedApp[]> {
    return this.db.transaction(async (manager) => {
      await lock(manager, version.adapter_id);
      await manager.update(ManifestVersionRow, { id: version.id }, {
        activated_at: version.activated_at ?? new Date(),
        ...(approvedBy === null ? {} : { approved_by: approvedBy }),
      } as object);
      return enforce(manager, version);
    });
  }

  find(adapterId: string, number: number): Promise<ManifestVersionRow | null> {
    return this.rows.findOneBy({ adapter_id: adapterId, number });
  }

  /** Newest first. */
  list(adapterId: string, before: number | null, limit: number): Promise<ManifestVersionRow[]> {
    const query = this.rows
      .createQueryBuilder('version')
      .where('version.adapter_id = :adapterId', { adapterId })
      .orderBy('version.number', 'DESC')
      .limit(limit);
    if (before !== null) query.andWhere('version.number < :before', { before });
    return query.getMany();
  }
}

function versionOf(adapter: AdapterRow, number: number, manifest: Manifest, fetchedBy: string): ManifestVersionRow {
  return {
    id: newId('mfv'),
    organization_id: adapter.organization_id,
    project_id: adapter.project_id,
    adapter_id: adapter.id,
    number,
    manifest,
    differences: number === 1 ? [] : manifestDifferences(adapter.manifest, manifest),
    fetched_by: fetchedBy,
    approved_by: null,
    activated_at: null,
    created_at: new Date(),
  };
}

/** Two concurrent refreshes must not assign one number twice. */
async function lock(manager: EntityManager, adapterId: string): Promise<AdapterRow> {
  return manager.findOneOrFail(AdapterRow, { where: { id: adapterId }, lock: { mode: 'pessimistic_write' } });
}

async function enforce(manager: EntityManager, version: ManifestVersionRow): Promise<TouchedApp[]> {
  const change = { manifest: version.manifest, manifest_version: version.number };
  await manager.update(AdapterRow, { id: version.adapter_id }, change as object);
  return touchApps(manager, version.adapter_id, version.manifest);
}
