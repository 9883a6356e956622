import { sanitizeName } from '#libs/sanitizer';
import { notFound, type Page, pageOf, type Principal, Problem, type SearchQuery } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { SignInLinkRepository } from './sign-in-link.repository.js';
import type { ChangeMember, InvitedMember, InviteMember, MemberView, SignInLinkView } from './member.dto.js';
import { type MemberChange, MemberRepository, type MemberRow } from './member.repository.js';
import { mayGrant, type RoleName } from '../api-keys/roles.js';

/**
 * Members of the caller's organization. Nobody can grant a role above their own, or change a member whose role is
 * higher.
 */
@Injectable()
export class MemberService {
  constructor(
    private readonly members: MemberRepository,
    private readonly links: SignInLinkRepository,
  ) {}

  async list({ organizationId }: Principal, { limit, cursor, search }: SearchQuery): Promise<Page<MemberView>> {
    const rows = await this.members.list(organizationId, limit + 1, cursor ?? null, search);
    const page = pageOf(rows, limit, (row) => row.user_id);
    return { data: page.data.map(memberView), next_cursor: page.next_cursor };
  }

  async get(caller: Principal, id: string): Promise<MemberView> {
    return memberView(await this.found(caller, id));
  }

  /** @throws Problem 403 `role_not_grantable`; 409 `already_member` */
  async invite(caller: Principal, { email, name, role }: InviteMember): Promise<InvitedMember> {
    requireGrant(caller, role);
    const { organizationId } = caller;
    return this.members.transaction(async (tx) => {
      const userId = await this.members.userByEmail(tx, email);
      const added = {
        organization_id: organizationId,
        user_id: userId,
        name: name ?? (sanitizeName(email.split('@')[0] ?? '') || email),
        role,
      };
      if (!(await this.members.add(tx, caller, added))) {
        throw new Problem(409, 'already_member', `${email} is already a member: ${userId}.`);
      }
      const member = await this.members.find(organizationId, userId, tx);
      if (!member) throw notFound('member', userId);
      return { ...memberView(member), ...(await this.links.make(tx, caller, { userId, organizationId })) };
    });
  }

  /** @throws Problem 403 `role_not_grantable`; 409 `last_owner` */
  async change(caller: Principal, id: string, wanted: ChangeMember): Promise<MemberView> {
    const { organizationId } = caller;
    await this.members.transaction(async (tx) => {
      const owners = await this.members.lockOwners(tx, organizationId);
      const member = await this.found(caller, id, tx);
      requireGrant(caller, member.role);
      if (wanted.role !== undefined) requireGrant(caller, wanted.role);
      const change = changeOf(member, wanted);
      if (Object.keys(change).length === 0) return;
      const staysOwner = (change.role ?? member.role) === 'owner' && !(change.suspended_at ?? member.suspended_at);
      if (!staysOwner) requireAnotherOwner(owners, id);
      await this.members.change(tx, caller, member, change);
    });
    return this.get(caller, id);
  }

  /** @throws Problem 403 `role_not_grantable`; 409 `last_owner` */
  remove(caller: Principal, id: string): Promise<void> {
    return this.members.transaction(async (tx) => {
      const owners = await this.members.lockOwners(tx, caller.organizationId);
      const member = await this.found(caller, id, tx);
      requireGrant(caller, member.role);
      requireAnotherOwner(owners, id);
      await this.members.remove(tx, caller, member);
    });
  }

  /** @throws Problem 403 `role_not_grantable`; 409 `member_suspended` */
  link(caller: Principal, id: string): Promise<SignInLinkView> {
    return this.members.transaction(async (tx) => {
      const member = await this.found(caller, id, tx);
      requireGrant(caller, member.role);
      if (member.suspended_at) throw new Problem(409, 'member_suspended', `${member.name} is suspended.`);
      return this.links.make(tx, caller, { userId: id, organizationId: caller.organizationId });
    });
  }

  private async found(caller: Principal, id: string, tx?: Parameters<MemberRepository['find']>[2]): Promise<MemberRow> {
    const member = await this.members.find(caller.organizationId, id, tx);
    if (!member) throw new Problem(404, 'member_not_found', `There is no member ${id} in this organization.`);
    return member;
  }
}

function changeOf(member: MemberRow, { name, role, suspended }: ChangeMember): MemberChange {
  const isSuspended = member.suspended_at !== null;
  return {
    ...(name !== undefined && name !== member.name ? { name } : {}),
    ...(role !== undefined && role !== member.role ? { role } : {}),
    ...(suspended !== undefined && suspended !== isSuspended ? { suspended_at: suspended ? new Date() : null } : {}),
  };
}

function requireGrant({ scopes }: Principal, role: RoleName): void {
  if (mayGrant(scopes, role)) return;
  throw new Problem(403, 'role_not_grantable', `The role ${role} has scopes that you lack: ask a member who has them.`);
}

function requireAnotherOwner(owners: string[], id: string): void {
  if (!owners.includes(id) || owners.length > 1) return;
  throw new Problem(409, 'last_owner', 'This is the last owner: make somebody else an owner first.');
}

export function memberView(row: MemberRow): MemberView {
  return {
    id: row.user_id,
    name: row.name,
    email: row.email,
    role: row.role,
    state: row.suspended_at ? 'suspended' : row.last_seen_at ? 'active' : 'invited',
    suspended_at: row.suspended_at?.toISOString() ?? null,
    last_seen_at: row.last_seen_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}
