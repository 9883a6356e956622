import { holds, type Page, pageOf, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { spelledOut } from '../api-keys/grants.js';
import { notSignedIn } from '../authentication/authenticated.js';
import { MemberRepository } from '../members/member.repository.js';
import { mayGrant, scopesOf } from '../api-keys/roles.js';
import { ProjectRepository } from '../projects/project.repository.js';
import { csrfTokenOf } from '../authentication/csrf.js';
import {
  type LiveSession,
  MemberSessionRepository,
  type SignedIn,
} from '../authentication/member-session.repository.js';
import type { MemberSessionQuery, MemberSessionView, SignedInView } from './session.dto.js';

@Injectable()
export class SessionService {
  constructor(
    private readonly sessions: MemberSessionRepository,
    private readonly members: MemberRepository,
    private readonly projects: ProjectRepository,
  ) {}

  /** The view of a session that was just started. */
  async started(hash: Buffer, token: string): Promise<SignedInView> {
    const session = await this.sessions.findSignedIn(hash);
    const organizationId = session?.memberships[0]?.organization_id;
    if (!session || organizationId === undefined) throw notSignedIn();
    return this.view(session, token, organizationId);
  }

  async view(session: SignedIn, token: string, organizationId: string): Promise<SignedInView> {
    const current = session.memberships.find(({ organization_id }) => organization_id === organizationId);
    if (!current) throw notSignedIn();
    const projects = await this.projects.all(organizationId);
    return {
      member: { id: session.user_id, name: current.name, email: session.email, role: current.role },
      organization: { id: organizationId, name: current.organization_name },
      organizations: session.memberships.map(({ organization_id: id, organization_name: name, role }) => ({
        id,
        name,
        role,
      })),
      projects: projects.map(({ id, name, closed_at }) => ({ id, name, closed_at: closed_at?.toISOString() ?? null })),
      scopes: spelledOut(scopesOf(current.role)),
      csrf_token: csrfTokenOf(token),
      expires_at: session.expires_at.toISOString(),
    };
  }

  /** @param current the calling session; null where a key calls */
  async list(caller: Principal, query: MemberSessionQuery, current: string | null): Promise<Page<MemberSessionView>> {
    const own = ownId(caller);
    const memberId = query.member_id ?? own;
    if (memberId === null) throw new Problem(422, 'invalid_fields', 'An API key has no sessions: give member_id.');
    if (memberId !== own) await this.requireManaged(caller, memberId);
    const { limit, cursor } = query;
    const rows = await this.sessions.list(caller.organizationId, memberId, limit + 1, cursor ?? null);
    const page = pageOf(rows, limit, ({ id }) => id);
    return { data: page.data.map((row) => sessionView(row, current)), next_cursor: page.next_cursor };
  }

  /**
   * Other users' sessions only if they reach the caller's organization.
   * @throws Problem 404; 403 `scope_missing`, `role_not_grantable`
   */
  async revoke(caller: Principal, id: string): Promise<void> {
    const session = await this.sessions.find(id);
    const isOwn = session?.user_id === ownId(caller);
    if (!session || (!isOwn && !(await this.isWithin(caller, session)))) throw notThere(id);
    if (!isOwn) await this.requireManaged(caller, session.user_id);
    await this.sessions.revoke(caller, session);
  }

  private async isWithin({ organizationId }: Principal, session: LiveSession): Promise<boolean> {
    if (session.organization_id !== null) return session.organization_id === organizationId;
    return (await this.members.find(organizationId, session.user_id)) !== null;
  }

  private async requireManaged(caller: Principal, memberId: string): Promise<void> {
    if (!holds(caller.scopes, 'members:manage')) {
      throw new Problem(403, 'scope_missing', "Others' sessions need the scope members:manage.");
    }
    const member = await this.members.find(caller.organizationId, memberId);
    if (!member) throw new Problem(404, 'member_not_found', `There is no member ${memberId} in this organization.`);
    if (!mayGrant(caller.scopes, member.role)) {
      throw new Problem(
        403,
        'role_not_grantable',
        `${member.name} has the role ${member.role}, which has scopes that you lack.`,
      );
    }
  }
}

/** The caller's user id, or null where a key calls. */
function ownId({ subject }: Principal): string | null {
  return /^user:(.+)$/.exec(subject)?.[1] ?? null;
}

function notThere(id: string): Problem {
  return new Problem(404, 'session_not_found', `There is no session ${id}, or it has ended.`);
}

function sessionView(row: LiveSession, current: string | null): MemberSessionView {
  return {
    id: row.id,
    member_id: row.user_id,
    method: row.method,
    user_agent: row.user_agent,
    address: row.address,
    current: row.id === current,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  };
}
