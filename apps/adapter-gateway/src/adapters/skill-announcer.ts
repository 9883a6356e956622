import { Sweeping } from '#libs/database';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { GatewaySettings } from '../env.js';
import { gatewaySettings } from '../settings.js';
import type { AdapterRow } from './adapter.entity.js';
import { AdapterRepository } from './adapter.repository.js';

export const registryClient = Symbol('registryClient');

const maxSweepMs = 2_000;

/**
 * Tells the registry of the Skill in every manifest that comes into force, so that it is there for agents. What the
 * registry was told is kept with the adapter: one that is away is told later, and a Skill that a person deleted stays
 * away until the manifest changes.
 */
@Injectable()
export class SkillAnnouncer extends Sweeping {
  private readonly logger = new Logger('skill-announcer');

  constructor(
    @Inject(AdapterRepository) private readonly adapters: AdapterRepository,
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
    for (const row of await this.adapters.withUntoldSkill(limit)) if (await this.tell(row)) told += 1;
    return told;
  }

  /** @returns false when it is to be told again. @throws Problem when the registry takes nothing at the moment */
  private async tell(row: AdapterRow): Promise<boolean> {
    const { id, manifest, organization_id: organizationId, project_id: projectId } = row;
    try {
      await this.registry.post('/internal/skills/manifest', { organizationId, projectId }, { manifest });
    } catch (error) {
      if (!(error instanceof Problem) || [401, 403, 429, 503].includes(error.status)) throw error;
      this.logger.warn({ event: 'skill.not_made', adapter: id, code: error.code, detail: error.detail });
      if (error.status >= 500) return false;
    }
    await this.adapters.recordToldSkill(id, row.manifest_version);
    return true;
  }
}
