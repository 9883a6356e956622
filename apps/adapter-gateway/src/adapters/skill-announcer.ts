import { Sweeping } from '#libs/database';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { GatewaySettings } from '../env.js';
import { gatewaySettings } from '../settings.js';
import type { AdapterRow } from './adapter.entity.js';
import { AdapterRepository } from './adapter.repository.js';
import { failedSkill, madeSkill } from './adapter-skill.js';

export const registryClient = Symbol('registryClient');

const maxSweepMs = 2_000;
const firstWaitMs = 1_000;
const maxWaitMs = 60_000;
/** The registry takes nothing at the moment, or not from us: what was refused is not the Skill. */
const notNow = new Set([401, 403, 408, 429]);

interface SkillMade {
  skill_id?: string;
}

/**
 * Tells the registry of the Skill in every manifest that comes into force, so that it is there for agents. How that went
 * stands on the adapter: a registry that is away is told later, a Skill that it refuses is made after a refresh, and one
 * that a person deleted stays away until the manifest changes.
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

  /** @returns how many were told; with the registry away the others wait for the next sweep */
  private async tellDue(limit: number): Promise<number> {
    let told = 0;
    for (const row of await this.adapters.withUntoldSkill(limit)) {
      const outcome = await this.tell(row);
      if (outcome === 'away') return told;
      told += 1;
    }
    return told;
  }

  private async tell(row: AdapterRow): Promise<'told' | 'away'> {
    const { id, manifest, manifest_version: version, organization_id: organizationId, project_id: projectId } = row;
    try {
      const scope = { organizationId, projectId };
      const made = await this.registry.post<SkillMade | null>('/internal/skills/manifest', scope, { manifest });
      await this.adapters.recordSkill(id, madeSkill(version, made?.skill_id ?? null), version);
      return 'told';
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { code, detail } = error;
      this.logger.warn({ event: 'skill.not_made', adapter: id, code, detail });
      const away = error.status >= 500 || notNow.has(error.status);
      const nextTryAt = away ? new Date(Date.now() + backoffMs(row.skill?.failures ?? 0)) : null;
      await this.adapters.recordSkill(id, failedSkill(row.skill, version, error, nextTryAt), away ? null : version);
      return away ? 'away' : 'told';
    }
  }
}

function backoffMs(failures: number): number {
  return Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(failures, 20));
}
