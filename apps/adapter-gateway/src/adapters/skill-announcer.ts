import { Sweeping } from '#libs/database';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { GatewaySettings } from '../env.js';
import { gatewaySettings } from '../settings.js';
import { skillLinks } from './skill-links.js';
import { SkillNewsRepository, type SkillRow } from './skill-news.repository.js';

export const registryClient = Symbol('registryClient');

const maxSweepMs = 2_000;

/**
 * Tells the registry of the Skill in every manifest that comes into force, of the credentials that its App has, and of
 * Skills that no manifest declares any more. What the registry was told is kept with the adapter: one that is away is
 * told later, and a Skill that a person deleted stays away until the manifest changes.
 */
@Injectable()
export class SkillAnnouncer extends Sweeping {
  private readonly logger = new Logger('skill-announcer');

  constructor(
    @Inject(SkillNewsRepository) private readonly news: SkillNewsRepository,
    @Inject(registryClient) private readonly registry: ServiceClient,
    @Inject(gatewaySettings) { HEALTH_POLL_MS }: GatewaySettings,
  ) {
    super();
    this.sweepEvery({
      name: 'skills',
      everyMs: Math.min(maxSweepMs, HEALTH_POLL_MS),
      batch: 50,
      sweep: (limit) => this.tellDue(limit),
    });
  }

  private async tellDue(limit: number): Promise<number> {
    let told = 0;
    // First: an adapter that was registered anew makes its Skill anew.
    for (const gone of await this.news.removals(limit)) {
      const removed = await this.tell(gone.id, () =>
        this.registry.delete(`/internal/skills/manifest/${encodeURIComponent(gone.slug)}`, scopeOf(gone)),
      );
      if (removed) await this.news.forget(gone);
      if (removed) told += 1;
    }
    for (const row of await this.news.untold(limit)) {
      if (!(await this.tell(row.id, () => this.put(row)))) continue;
      await this.news.recordTold(row);
      told += 1;
    }
    return told;
  }

  private put(row: SkillRow): Promise<unknown> {
    const app = skillLinks(row.manifest, row.app_credentials, row.skill_credentials);
    if (row.skill_told !== row.manifest_version) {
      return this.registry.post('/internal/skills/manifest', scopeOf(row), { manifest: row.manifest, ...app });
    }
    return this.registry.put(
      `/internal/skills/manifest/${encodeURIComponent(row.slug)}/credentials`,
      scopeOf(row),
      app,
    );
  }

  /** @returns false when it is to be told again. @throws Problem when the registry takes nothing at the moment */
  private async tell(adapterId: string, say: () => Promise<unknown>): Promise<boolean> {
    try {
      await say();
    } catch (error) {
      if (!(error instanceof Problem) || [401, 403, 429, 503].includes(error.status)) throw error;
      this.logger.warn({ event: 'skill.not_made', adapter: adapterId, code: error.code, detail: error.detail });
      if (error.status >= 500) return false;
    }
    return true;
  }
}

function scopeOf(row: { organization_id: string; project_id: string }): { organizationId: string; projectId: string } {
  return { organizationId: row.organization_id, projectId: row.project_id };
}
