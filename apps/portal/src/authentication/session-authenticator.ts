import { Problem } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { hashOf } from '../api-keys/key-text.js';
import { scopesOf } from '../api-keys/roles.js';
import type { Project } from '../projects/project.entity.js';
import { refuseForgery } from './csrf.js';
import { type Membership, MemberSessionRepository, type SignedIn } from './member-session.repository.js';
import { type CallerCacheSettings, type SessionSettings, SETTINGS } from '../settings.js';
import { type Authenticated, notSignedIn, outOfReach } from './authenticated.js';
import { BriefCache } from './brief-cache.js';
import { ProjectReach } from './project-reach.js';

const touchEveryMs = 60_000;
const maxCached = 10_000;

/** A member's request with its session. */
export interface MemberRequest extends Authenticated {
  session: SignedIn;
  /** The cookie's value. */
  token: string;
}

/** Identifies the caller of a session cookie, its organization and project. */
@Injectable()
export class SessionAuthenticator {
  private readonly logger = new Logger('authentication');
  private readonly sessions: BriefCache<SignedIn | null>;

  constructor(
    private readonly stored: MemberSessionRepository,
    private readonly projects: ProjectReach,
    @Inject(SETTINGS) private readonly settings: SessionSettings & CallerCacheSettings,
  ) {
    this.sessions = new BriefCache(settings.KEY_CACHE_MS, maxCached);
  }

  /**
   * @param token of the cookie
   * @param uncached whether the session is read anew, so that a changed role shows at once
   * @throws Problem 401 `not_signed_in`; 403 `csrf_refused`; 404 for a context that the member does not reach
   */
  async authenticate(
    token: string,
    method: string,
    headers: IncomingHttpHeaders,
    uncached: boolean,
  ): Promise<MemberRequest> {
    if (uncached) this.sessions.forget(cacheKey(hashOf(token)));
    const session = await this.reaching(token, headers['x-organization-id']);
    refuseForgery(method, headers, token, this.settings.PUBLIC_URL);
    const { membership, project } = await this.contextOf(session, headers);
    const { organization_id: organizationId, role } = membership;
    const subject = `user:${session.user_id}`;
    return {
      principal: { subject, organizationId, projectId: project.id, scopes: scopesOf(role) },
      holder: `session:${session.id}:${organizationId}:${role}`,
      project,
      session,
      token,
    };
  }

  /** Whether the cookie belongs to a live session. */
  async isLive(token: string): Promise<boolean> {
    return (await this.read(token)) !== null;
  }

  /** Reads again if the cached session lacks the organization, which may be a moment old. */
  private async reaching(token: string, organization: string | string[] | undefined): Promise<SignedIn> {
    const known = await this.read(token);
    if (!known) throw notSignedIn();
    const isReached = known.memberships.some(({ organization_id }) => organization_id === organization);
    if (organization === undefined || isReached) return known;
    this.sessions.forget(cacheKey(hashOf(token)));
    const reread = await this.read(token);
    if (!reread) throw notSignedIn();
    return reread;
  }

  private read(token: string): Promise<SignedIn | null> {
    const hash = hashOf(token);
    return this.sessions.get(cacheKey(hash), () => this.find(hash));
  }

  private async find(hash: Buffer): Promise<SignedIn | null> {
    const session = await this.stored.findSignedIn(hash);
    const everyMs = Math.min(touchEveryMs, this.settings.SESSION_IDLE_SECONDS * 100);
    if (session && Date.now() - session.last_used_at.getTime() > everyMs) {
      // Not awaited: a use that is not recorded ends the session sooner, never later.
      this.stored
        .touch(session.id)
        .catch((error: unknown) => this.logger.warn(`could not note the use of ${session.id}: ${String(error)}`));
    }
    return session;
  }

  private async contextOf(
    { memberships }: SignedIn,
    headers: IncomingHttpHeaders,
  ): Promise<{ membership: Membership; project: Project }> {
    const { 'x-organization-id': organization, 'x-project-id': wanted } = headers;
    const reached = memberships.filter(
      ({ organization_id }) => organization === undefined || organization === organization_id,
    );
    const [first] = reached;
    if (!first) throw outOfReach('organization', 'session');
    if (wanted === undefined) {
      const project = await this.projects.first(first.organization_id);
      if (!project) throw new Problem(409, 'no_open_project', 'All projects are closed: choose one with X-Project-Id.');
      return { membership: first, project };
    }
    for (const membership of typeof wanted === 'string' ? reached : []) {
      const project = await this.projects.find(membership.organization_id, String(wanted));
      if (project) return { membership, project };
    }
    throw outOfReach('project', 'session');
  }
}

function cacheKey(hash: Buffer): string {
  return hash.toString('base64');
}
