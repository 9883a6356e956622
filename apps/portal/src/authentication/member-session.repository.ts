import { AuditLog } from '#libs/audit';
import { newId } from '#libs/contracts';
import type { Principal } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { RoleName } from '../api-keys/roles.js';
import { type SessionSettings, SETTINGS } from '../settings.js';
import type { MemberSession } from './member-session.entity.js';

/** A session user's membership in one organization. */
export interface Membership {
  organization_id: string;
  organization_name: string;
  name: string;
  role: RoleName;
}

export type LiveSession = Pick<
  MemberSession,
  | 'id'
  | 'user_id'
  | 'organization_id'
  | 'method'
  | 'user_agent'
  | 'address'
  | 'expires_at'
  | 'last_used_at'
  | 'created_at'
>;

/** A live session with the memberships that it reaches. Suspended ones are left out. */
export interface SignedIn extends LiveSession {
  email: string | null;
  /** Oldest first. */
  memberships: Membership[];
}

export type NewSession = Pick<
  MemberSession,
  'hash' | 'user_id' | 'organization_id' | 'method' | 'user_agent' | 'address'
>;

const columns =
  's.id, s.user_id, s.organization_id, s.method, s.user_agent, s.address, s.expires_at, s.last_used_at, s.created_at';
const live = 's.revoked_at IS NULL AND s.expires_at > now() AND s.last_used_at + make_interval(secs => $1) > now()';
const reached = `portal.member m ON m.user_id = s.user_id AND m.suspended_at IS NULL
                 AND (s.organization_id IS NULL OR s.organization_id = m.organization_id)`;

@Injectable()
export class MemberSessionRepository {
  constructor(
    private readonly db: DataSource,
    private readonly audit: AuditLog,
    @Inject(SETTINGS) private readonly settings: SessionSettings,
  ) {}

  /** @returns null where the session has ended or reaches nothing any more */
  async findSignedIn(hash: Buffer): Promise<SignedIn | null> {
    const [found] = (await this.db.query(
      `SELECT ${columns}, u.email,
              json_agg(json_build_object('organization_id', m.organization_id, 'organization_name', o.name,
                'name', m.name, 'role', m.role) ORDER BY m.created_at, m.organization_id) AS memberships
         FROM portal.member_session s
         JOIN portal.user_account u ON u.id = s.user_id
         JOIN ${reached}
         JOIN portal.organization o ON o.id = m.organization_id
        WHERE ${live} AND s.hash = $2
        GROUP BY s.id, u.email`,
      [this.settings.SESSION_IDLE_SECONDS, hash],
    )) as SignedIn[];
    return found ?? null;
  }

  /** Also deletes the user's long expired sessions, so that their number stays bounded. */
  async insert(tx: EntityManager, session: NewSession): Promise<{ id: string; expires_at: Date }> {
    await tx.query("DELETE FROM portal.member_session WHERE user_id = $1 AND expires_at < now() - interval '30 days'", [
      session.user_id,
    ]);
    const id = newId('mse');
    const [made] = (await tx.query(
      `INSERT INTO portal.member_session (id, hash, user_id, organization_id, method, user_agent, address, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8)) RETURNING expires_at`,
      [
        id,
        session.hash,
        session.user_id,
        session.organization_id,
        session.method,
        session.user_agent,
        session.address,
        this.settings.SESSION_SECONDS,
      ],
    )) as { expires_at: Date }[];
    if (!made) throw new Error('a session was inserted and is not there');
    return { id, expires_at: made.expires_at };
  }

  /** A member's live sessions that reach the organization, newest first. */
  list(organizationId: string, userId: string, limit: number, cursor: string | null): Promise<LiveSession[]> {
    return this.db.query(
      `SELECT ${columns} FROM portal.member_session s
        WHERE ${live} AND s.user_id = $2 AND (s.organization_id IS NULL OR s.organization_id = $3)
          AND ($4::text IS NULL OR s.id < $4)
        ORDER BY s.id DESC LIMIT $5`,
      [this.settings.SESSION_IDLE_SECONDS, userId, organizationId, cursor, limit],
    );
  }

  async find(id: string): Promise<LiveSession | null> {
    const [found] = (await this.db.query(`SELECT ${columns} FROM portal.member_session s WHERE ${live} AND s.id = $2`, [
      this.settings.SESSION_IDLE_SECONDS,
      id,
    ])) as LiveSession[];
    return found ?? null;
  }

  /** A session that was revoked meanwhile is not audited again. */
  revoke(caller: Principal, { id, user_id }: LiveSession): Promise<void> {
    return this.db.transaction(async (tx) => {
      const [, count] = (await tx.query(
        'UPDATE portal.member_session SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL',
        [id],
      )) as [unknown, number];
      if (count === 0) return;
      const before = { member: user_id, revoked: false };
      const change = { action: 'session.revoked' as const, subject: id, before, after: { ...before, revoked: true } };
      await this.audit.append(tx, { ...caller, projectId: '' }, change);
    });
  }

  async touch(id: string): Promise<void> {
    await this.db.query('UPDATE portal.member_session SET last_used_at = now() WHERE id = $1', [id]);
  }

  /** The holders among these (`session:<id>:<organization>:<role>`) that are still valid as given. */
  async validAmong(holders: string[]): Promise<Set<string>> {
    const ids = holders.map((holder) => holder.split(':')[1]);
    const rows = (await this.db.query(
      `SELECT concat_ws(':', 'session', s.id, m.organization_id, m.role) AS holder
         FROM portal.member_session s JOIN ${reached} WHERE ${live} AND s.id = ANY($2)`,
      [this.settings.SESSION_IDLE_SECONDS, ids],
    )) as { holder: string }[];
    return new Set(rows.map(({ holder }) => holder));
  }
}
