import { type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import type { ApiKey } from '../api-keys/api-key.entity.js';
import { ApiKeyRepository } from '../api-keys/api-key.repository.js';
import { hashOf, isKey } from '../api-keys/key-text.js';
import { ProjectRepository } from '../projects/project.repository.js';
import { BriefCache } from './brief-cache.js';
import { FailedKeys } from './failed-keys.js';

export const KEY_CACHE_MS = Symbol('KEY_CACHE_MS');

const touchEveryMs = 60_000;
const maxCached = 10_000;

/** Tells who calls by an API key, and in which organization and project. */
@Injectable()
export class Authenticator {
  private readonly logger = new Logger('authentication');
  private readonly keysByHash: BriefCache<ApiKey | null>;
  private readonly reachable: BriefCache<boolean>;

  constructor(
    @Inject(ApiKeyRepository) private readonly keys: ApiKeyRepository,
    @Inject(ProjectRepository) private readonly projects: ProjectRepository,
    @Inject(FailedKeys) private readonly failures: FailedKeys,
    @Inject(KEY_CACHE_MS) cacheMs: number,
  ) {
    this.keysByHash = new BriefCache(cacheMs, maxCached);
    this.reachable = new BriefCache(cacheMs, maxCached);
  }

  /**
   * @param address of the client
   * @throws Problem 401 `not_authenticated`; 429 `too_many_failed_keys`; 404 for a context that the key does not reach
   */
  async authenticate(headers: IncomingHttpHeaders, address: string): Promise<Principal> {
    const text = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
    if (!text) throw refused('Send an API key: Authorization: Bearer gh_...');
    const hash = hashOf(text);
    const name = hash.toString('base64');
    this.failures.check(address, text, name);
    const key = isKey(text) ? await this.find(hash, name) : null;
    if (!key) {
      this.failures.failed(address, text, name);
      throw refused('The API key is not valid, or was revoked.');
    }
    this.failures.succeeded(name);
    if (key.expires_at && key.expires_at.getTime() <= Date.now()) throw refused('The API key has expired.');
    return {
      subject: `key:${key.id}`,
      organizationId: this.organizationOf(key, headers['x-organization-id']),
      projectId: await this.projectOf(key, headers['x-project-id']),
      scopes: key.scopes,
    };
  }

  private find(hash: Buffer, name: string): Promise<ApiKey | null> {
    return this.keysByHash.get(name, async () => {
      const key = await this.keys.findByHash(hash);
      if (key && Date.now() - (key.last_used_at?.getTime() ?? 0) > touchEveryMs) this.touch(key.id);
      return key;
    });
  }

  /** Not waited for: when the key was last used is told to people, and decides nothing. */
  private touch(id: string): void {
    this.keys
      .touch(id)
      .catch((error: unknown) => this.logger.warn(`could not note the use of ${id}: ${String(error)}`));
  }

  private organizationOf(key: ApiKey, wanted: string | string[] | undefined): string {
    if (wanted !== undefined && wanted !== key.organization_id) throw outOfReach('organization');
    return key.organization_id;
  }

  /** A key works in its own project; one with `admin` in every project of its organization. */
  private async projectOf(key: ApiKey, wanted: string | string[] | undefined): Promise<string> {
    if (wanted === undefined || wanted === key.project_id) return key.project_id;
    if (typeof wanted !== 'string' || !key.scopes.includes('admin')) throw outOfReach('project');
    const exists = await this.reachable.get(`${key.organization_id} ${wanted}`, async () =>
      Boolean(await this.projects.find(key.organization_id, wanted)),
    );
    if (!exists) throw outOfReach('project');
    return wanted;
  }
}

function refused(detail: string): Problem {
  return new Problem(401, 'not_authenticated', detail, [], { 'www-authenticate': 'Bearer' });
}

function outOfReach(what: 'organization' | 'project'): Problem {
  const header = what === 'organization' ? 'X-Organization-Id' : 'X-Project-Id';
  return new Problem(404, `${what}_not_found`, `There is no ${what} of the id in ${header} that this key reaches.`);
}
