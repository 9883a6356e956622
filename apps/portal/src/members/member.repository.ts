import { AuditLog } from '#libs/audit';
import { newId } from '#libs/contracts';
import { containing, type Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Member } from './member.entity.js';
import type { RoleName } from '../api-keys/roles.js';
import { UserAccount } from './user-account.entity.js';

export type MemberRow = Member & Pick<UserAccount, 'email'>;
/** What can be changed of a member. */
export type MemberChange = Partial<Pick<Member, 'name' | 'role' | 'suspended_at'>>;

const select = `SELECT m.*, u.email FROM portal.member m JOIN portal.user_account u ON u.id = m.user_id`;

/** Members of organizations. Methods that change something take the transaction that also writes the audit log. */
@Injectable()
export class MemberRepository {
  constructor(
    private readonly db: DataSource,
    private readonly audit: AuditLog,
  ) {}

  transaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.db.transaction(work);
  }

  /** Newest first. */
  list(organizationId: string, limit: number, cursor: string | null, search?: string): Promise<MemberRow[]> {
    return this.db.query(
      `${select} WHERE m.organization_id = $1 AND ($2::text IS NULL OR m.user_id < $2)
          AND ($4::text IS NULL OR m.name ILIKE $4 OR u.email ILIKE $4) ORDER BY m.user_id DESC LIMIT $3`,
      [organizationId, cursor, limit, search === undefined ? null : containing(search)],
    );
  }

  async find(
    organizationId: string,
    userId: string,
    db: Pick<EntityManager, 'query'> = this.db,
  ): Promise<MemberRow | null> {
    const [row] = (await db.query(`${select} WHERE m.organization_id = $1 AND m.user_id = $2`, [
      organizationId,
      userId,
    ])) as MemberRow[];
    return row ?? null;
  }

  /** The user with this address, created if missing. All organizations share it. */
  async userByEmail(tx: EntityManager, email: string): Promise<string> {
    const [row] = (await tx.query(
      `INSERT INTO portal.user_account (id, email) VALUES ($1, $2)
       ON CONFLICT (email) DO UPDATE SET email = excluded.email RETURNING id`,
      [newId('usr'), email.toLowerCase()],
    )) as { id: string }[];
    if (!row) throw new Error('a user was inserted and is not there');
    return row.id;
  }

  /** @returns false when the user is already a member */
  async add(tx: EntityManager, caller: AuditCaller, member: NewMember): Promise<boolean> {
    const [row] = (await tx.query(
      `INSERT INTO portal.member (organization_id, user_id, name, role, last_seen_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT DO NOTHING RETURNING user_id`,
      [member.organization_id, member.user_id, member.name, member.role, member.last_seen_at ?? null],
    )) as { user_id: string }[];
    if (!row) return false;
    const after = { name: member.name, role: member.role };
    await this.append(tx, caller, member, { action: 'member.added', before: null, after });
    return true;
  }

  /** Owners that are not suspended. They are locked until the transaction ends. */
  async lockOwners(tx: EntityManager, organizationId: string): Promise<string[]> {
    const rows = (await tx.query(
      `SELECT user_id FROM portal.member WHERE organization_id = $1 AND role = 'owner' AND suspended_at IS NULL
        ORDER BY user_id FOR UPDATE`,
      [organizationId],
    )) as { user_id: string }[];
    return rows.map(({ user_id }) => user_id);
  }

  async change(tx: EntityManager, caller: AuditCaller, member: MemberRow, change: MemberChange): Promise<void> {
    const { organization_id, user_id } = member;
    await tx.update(Member, { organization_id, user_id }, change);
    const before = Object.fromEntries(Object.keys(change).map((key) => [key, member[key as keyof MemberChange]]));
    await this.append(tx, caller, member, { action: 'member.changed', before, after: change });
  }

  async remove(tx: EntityManager, caller: AuditCaller, member: MemberRow): Promise<void> {
    const { organization_id, user_id, name, role } = member;
    await tx.delete(Member, { organization_id, user_id });
    await this.append(tx, caller, member, { action: 'member.removed', before: { name, role }, after: null });
  }

  /** Belongs to the organization as a whole, so it appears in the log of each of its projects. */
  private append(
    tx: EntityManager,
    caller: AuditCaller,
    { organization_id, user_id }: Pick<Member, 'organization_id' | 'user_id'>,
    change: {
      action: 'member.added' | 'member.changed' | 'member.removed';
      before: object | null;
      after: object | null;
    },
  ): Promise<void> {
    const by = { ...caller, organizationId: organization_id, projectId: '' };
    return this.audit.append(tx, by, { ...change, subject: user_id });
  }
}

export type AuditCaller = Pick<Principal, 'subject' | 'requestId'>;
export type NewMember = Pick<Member, 'organization_id' | 'user_id' | 'name'> & {
  role: RoleName;
  last_seen_at?: Date;
};
