import type { CredentialDeclaration } from '#libs/adapter-sdk';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AdapterRow, type AdapterSkill } from '../../entities/app.entity.js';
import { SkillRemovalRow } from './skill-removal.entity.js';

/** An adapter with the records of its App, and the declarations of the version that the registry was informed of last. */
export type SkillRow = AdapterRow & {
  app_credentials: Record<string, string>;
  announced_declarations: CredentialDeclaration[] | null;
};

/**
 * A Skill that no manifest declares any more; `registered`: its adapter still exists, with a manifest without a Skill.
 */
export type RemovedSkill = SkillRemovalRow & { registered: boolean };

/** Changes of Skills that the registry has not been informed of yet. */
@Injectable()
export class SkillNewsRepository {
  constructor(
    @InjectRepository(AdapterRow) private readonly rows: Repository<AdapterRow>,
    @InjectRepository(SkillRemovalRow) private readonly gone: Repository<SkillRemovalRow>,
  ) {}

  /** Adapters that are due and whose Skill, or whose App's credentials, the registry has not been informed of yet. */
  unannounced(limit: number): Promise<SkillRow[]> {
    return this.rows.query(
      `SELECT adapter.*, coalesce(app.credentials, '{}') AS app_credentials,
              (SELECT latest.manifest->'credentials' FROM gateway.manifest_version latest
                WHERE latest.adapter_id = adapter.id AND latest.number = adapter.skill_announced) AS announced_declarations
         FROM gateway.adapter LEFT JOIN gateway.app ON app.adapter_id = adapter.id AND app.state <> 'retired'
        WHERE jsonb_typeof(adapter.manifest->'skill') = 'object'
          AND (adapter.skill_announced IS DISTINCT FROM adapter.manifest_version
               OR adapter.skill_credentials <> coalesce(app.credentials, '{}'))
          AND coalesce((adapter.skill->>'next_try_at')::timestamptz, '-infinity') <= now()
          AND NOT EXISTS (SELECT FROM gateway.skill_removal gone
                           WHERE gone.project_id = adapter.project_id AND gone.slug = adapter.slug)
        ORDER BY adapter.skill->>'next_try_at' NULLS FIRST, adapter.id LIMIT $1`,
      [limit],
    );
  }

  /** @param isAnnounced whether the registry needs to hear no more of this version and these credentials */
  async record(row: SkillRow, skill: AdapterSkill, isAnnounced: boolean): Promise<void> {
    const { id, manifest_version: version, app_credentials: credentials } = row;
    const seen = isAnnounced ? { skill_announced: version, skill_credentials: credentials } : {};
    await this.rows.update({ id }, { skill, ...seen } as object);
  }

  removals(limit: number): Promise<RemovedSkill[]> {
    return this.rows.query(
      `SELECT id, organization_id, project_id, slug, created_at, false AS registered FROM gateway.skill_removal
       UNION ALL
       SELECT id, organization_id, project_id, slug, created_at, true FROM gateway.adapter
        WHERE skill_announced IS NOT NULL AND jsonb_typeof(manifest->'skill') IS DISTINCT FROM 'object'
       ORDER BY id LIMIT $1`,
      [limit],
    );
  }

  /** The registry has removed it. */
  async forget({ id, registered }: RemovedSkill): Promise<void> {
    if (registered)
      await this.rows.update({ id }, { skill_announced: null, skill_credentials: {}, skill: null } as object);
    else await this.gone.delete({ id });
  }
}
