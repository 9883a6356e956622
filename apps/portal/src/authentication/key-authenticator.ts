import { hasLeft, type HoldState } from '#libs/journal';
import { holds, Problem } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiKeyRepository, type ValidKey } from '../api-keys/api-key.repository.js';
import { hashOf, isKey } from '../api-keys/key-text.js';
import { scopesOf } from '../api-keys/roles.js';
import type { Project } from '../projects/project.entity.js';
import { type CallerCacheSettings, SETTINGS } from '../settings.js';
import { type Authenticated, outOfReach, refused } from './authenticated.js';
import { BriefCache } from './brief-cache.js';
import { FailedKeys } from './failed-keys.js';
import { ProjectReach } from './project-reach.js';

const touchEveryMs = 60_000;
const maxCached = 10_000;

/** Identifies the caller of an API key, its organization and project. */
@Injectable()
export class KeyAuthenticator {
  private readonly logger = new Logger('authentication');
  private readonly keysByHash: BriefCache<ValidKey | null>;

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly projects: ProjectReach,
    private readonly failures: FailedKeys,
    @Inject(SETTINGS) { KEY_CACHE_MS: cacheMs }: CallerCacheSettings,
  ) {
    this.keysByHash = new BriefCache(cacheMs, maxCached);
  }

  /**
   * @param address of the client
   * @throws Problem 401 `not_authenticated`; 429 `too_many_failed_keys`; 404 for a context that the key does not reach
   */
  async authenticate(headers: IncomingHttpHeaders, address: string): Promise<Authenticated> {
    const text = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
    if (!text) throw refused('Send an API key: Authorization: Bearer gh_...');
    const hash = hashOf(text);
    const name = hash.toString('base64');
    this.failures.check(address, text, name);
    const key = isKey(text) ? await this.find(hash, name) : null;
    if (!key) {
      this.failures.failed(address, text, name);
      throw refused('The API key is not valid or was revoked.');
    }
    this.failures.succeeded(name);
    if (key.expires_at && key.expires_at.getTime() <= Date.now()) throw refused('The API key has expired.');
    if (key.moves) throw movesForKeys(key, key.moves);
    if (key.project_closed) throw closedToKeys(key.project_id);
    const project = await this.otherProject(key, headers['x-project-id']);
    if (project?.closed_at) throw closedToKeys(project.id);
    return {
      principal: {
        subject: `key:${key.id}`,
        person: personBehind(key),
        organizationId: this.organizationOf(key, headers['x-organization-id']),
        projectId: project?.id ?? key.project_id,
        scopes: scopesWithin(key),
      },
      holder: `key:${key.id}:${key.maker_role ?? ''}`,
      project,
    };
  }

  private find(hash: Buffer, name: string): Promise<ValidKey | null> {
    return this.keysByHash.get(name, async () => {
      const key = await this.keys.findByHash(hash);
      if (key && Date.now() - (key.last_used_at?.getTime() ?? 0) > touchEveryMs) this.touch(key.id);
      return key;
    });
  }

  /** Not awaited: the time of last use is only shown to people and decides nothing. */
  private touch(id: string): void {
    this.keys
      .touch(id)
      .catch((error: unknown) => this.logger.warn(`could not note the use of ${id}: ${String(error)}`));
  }

  private organizationOf(key: ValidKey, wanted: string | string[] | undefined): string {
    if (wanted !== undefined && wanted !== key.organization_id) throw outOfReach('organization', 'key');
    return key.organization_id;
  }

  /**
   * A key works in its own project; one with `admin` in every project of its organization.
   * @returns null for its own
   */
  private async otherProject(key: ValidKey, wanted: string | string[] | undefined): Promise<Project | null> {
    if (wanted === undefined || wanted === key.project_id) return null;
    if (typeof wanted !== 'string' || !scopesWithin(key).includes('admin')) throw outOfReach('project', 'key');
    const project = await this.projects.find(key.organization_id, wanted);
    if (!project) throw outOfReach('project', 'key');
    return project;
  }
}

/** Keys that one member, or one key, made act for one person: whoever makes keys holds all of them. */
function personBehind({ made_by_user_id: userId, root_key_id: rootId }: ValidKey): string {
  return userId === null ? `key:${rootId}` : `user:${userId}`;
}

/** A key that a member made may do no more than that member. */
function scopesWithin({ scopes, maker_role: role }: ValidKey): ValidKey['scopes'] {
  return role === null ? scopes : scopes.filter((scope) => holds(scopesOf(role), scope));
}

/** Its keys go along: they work again where it is. */
function movesForKeys({ project_id: id, peer }: ValidKey, state: HoldState): Problem {
  if (hasLeft(state)) {
    return new Problem(410, 'project_left', `The project ${id} has moved to ${peer}: use the same key there.`);
  }
  const way = state === 'arriving' ? `from ${peer} to here` : `to ${peer}`;
  const detail = `The project ${id} is on its way ${way}: ask again in a while. Its webhooks are taken.`;
  return new Problem(503, 'project_moves', detail, [], { 'retry-after': '10' });
}

function closedToKeys(projectId: string): Problem {
  const detail = `The project ${projectId} is closed: its keys are refused until a member reopens it.`;
  return new Problem(403, 'project_closed', detail);
}
