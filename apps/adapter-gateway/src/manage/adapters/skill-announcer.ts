import type { CredentialDeclaration } from '#libs/adapter-sdk';
import { backoffMs, scopeOf } from '#libs/contracts';
import { Sweeping } from '#libs/database';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type GatewaySettings, REGISTRY, SETTINGS } from '../../env.js';
import { failedSkill, madeSkill } from './adapter-skill.js';
import { sharedWithSkill } from './shared-with-skill.js';
import { type RemovedSkill, SkillNewsRepository, type SkillRow } from './skill-news.repository.js';

const maxSweepMs = 2_000;
const backoff = { baseMs: 1_000, capMs: 60_000 };
/** The registry takes nothing at the moment, or nothing from us: it has not refused the Skill itself. */
const notNow = new Set([401, 403, 408, 429]);

interface SkillMade {
  skill_id?: string;
}

type Credentials = Record<string, string>;

/** The credentials of a Skill that come from its App, and every name that the App ever gave one under. */
interface SkillLinks {
  credentials: { credential_id: string; as: string; hosts?: string[] }[];
  names: string[];
}

/**
 * Tells the registry about the Skill of every manifest that comes into force, about the credentials of its App, and
 * about Skills that no manifest declares any more. The result is stored on the adapter. A registry that is unavailable
 * is informed later, a Skill that it refuses is made after a refresh, and a Skill that a person deleted stays deleted until
 * the manifest changes.
 */
@Injectable()
export class SkillAnnouncer extends Sweeping {
  private readonly logger = new Logger('skill-announcer');

  constructor(
    private readonly news: SkillNewsRepository,
    @Inject(REGISTRY) private readonly registry: ServiceClient,
    @Inject(SETTINGS) { HEALTH_POLL_MS }: GatewaySettings,
  ) {
    super();
    this.sweepEvery({
      name: 'skills',
      everyMs: Math.min(maxSweepMs, HEALTH_POLL_MS),
      batch: 50,
      sweep: (limit) => this.announceDue(limit),
    });
  }

  /** @returns how many were announced; while the registry is unavailable, the others wait for the next sweep */
  private async announceDue(limit: number): Promise<number> {
    let announced = 0;
    // Removals go first: an adapter that was registered again makes its Skill again.
    for (const gone of await this.news.removals(limit)) {
      if ((await this.remove(gone)) === 'away') return announced;
      announced += 1;
    }
    for (const row of await this.news.unannounced(limit)) {
      if ((await this.announce(row)) === 'away') return announced;
      announced += 1;
    }
    return announced;
  }

  private async remove(gone: RemovedSkill): Promise<'announced' | 'away'> {
    try {
      await this.registry.delete(`/internal/skills/manifest/${encodeURIComponent(gone.slug)}`, scopeOf(gone));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.logger.warn({ event: 'skill.not_removed', adapter: gone.id, code: error.code, detail: error.detail });
      if (isAway(error)) return 'away';
    }
    await this.news.forget(gone);
    return 'announced';
  }

  private async announce(row: SkillRow): Promise<'announced' | 'away'> {
    const version = row.manifest_version;
    try {
      const made = await this.put(row);
      await this.news.record(row, madeSkill(version, made?.skill_id ?? row.skill?.skill_id ?? null), true);
      return 'announced';
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { code, detail } = error;
      this.logger.warn({ event: 'skill.not_made', adapter: row.id, code, detail });
      const away = isAway(error);
      const nextTryAt = away ? new Date(Date.now() + backoffMs(backoff, row.skill?.failures ?? 0)) : null;
      await this.news.record(row, failedSkill(row.skill, version, error, nextTryAt), !away);
      return away ? 'away' : 'announced';
    }
  }

  private put(row: SkillRow): Promise<SkillMade | null> {
    const app = skillLinks(row);
    if (row.skill_announced !== row.manifest_version) {
      return this.registry.post('/internal/skills/manifest', scopeOf(row), { manifest: row.manifest, ...app });
    }
    return this.registry.put(
      `/internal/skills/manifest/${encodeURIComponent(row.slug)}/credentials`,
      scopeOf(row),
      app,
    );
  }
}

function isAway({ status }: Problem): boolean {
  return status >= 500 || notNow.has(status);
}

/** An App and the Skill of its manifest share their credentials (spec 1, rule 3), under the keys of the declarations. */
function skillLinks({
  manifest,
  app_credentials: now,
  skill_credentials: before,
  announced_declarations: earlier,
}: SkillRow): SkillLinks {
  const { credentials: declarations } = manifest;
  const shared = sharedWithSkill(manifest).filter(({ key }) => now[key] !== undefined);
  const links = new Map(shared.map((declared) => [nameOf(declared.key), linkOf(declared, now, earlier ?? [])]));
  return {
    credentials: [...links].map(([as, link]) => ({ ...link, as })),
    names: [...new Set([...declarations.map(({ key }) => key), ...Object.keys(before)].map(nameOf))],
  };
}

/** No `hosts`: those that people set stay. Empty: the manifest has withdrawn its own. */
function linkOf({ key, hosts = [] }: CredentialDeclaration, now: Credentials, earlier: CredentialDeclaration[]) {
  const credential_id = now[key] ?? '';
  const unique = [...new Set(hosts.map((host) => host.toLowerCase()))];
  const withdrawn = unique.length === 0 && earlier.some((one) => one.key === key && (one.hosts ?? []).length > 0);
  return { credential_id, ...(unique.length > 0 || withdrawn ? { hosts: unique } : {}) };
}

/** A declaration's key, in the form that a Skill allows for a credential's name. */
function nameOf(key: string): string {
  const name = key.replaceAll(/[^\w-]/g, '_').slice(0, 63);
  return /^[A-Za-z]/.test(name) ? name : `c${name}`;
}
