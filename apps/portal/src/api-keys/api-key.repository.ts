import { AuditLog } from '#libs/audit';
import type { ProjectScope } from '#libs/contracts';
import type { HoldState } from '#libs/journal';
import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { RoleName } from './roles.js';
import { ApiKey } from './api-key.entity.js';

type ShownKey = Pick<ApiKey, 'id' | 'name' | 'last4' | 'scopes' | 'made_by_key_id' | 'expires_at'>;

/** What a request with a key is decided by. */
export interface ValidKey extends Pick<
  ApiKey,
  'id' | 'organization_id' | 'project_id' | 'scopes' | 'expires_at' | 'last_used_at'
> {
  made_by_user_id: string | null;
  /** The first key of the chain in which keys made this one; its own id when no key made it. */
  root_key_id: string;
  /** The current role of the member who made the key; null: no member did. */
  maker_role: RoleName | null;
  project_closed: boolean;
  /** Of a project that moves or has moved: how far it is, and the other installation. */
  moves: HoldState | null;
  peer: string | null;
}

const maker = `portal.member m ON m.user_id = k.made_by_user_id AND m.organization_id = k.organization_id
               AND m.suspended_at IS NULL`;
// Keys are revoked, never deleted: the chain of makers is complete.
const rootOf = `(WITH RECURSIVE chain AS (
  SELECT k.id, k.made_by_key_id
   UNION SELECT up.id, up.made_by_key_id FROM chain JOIN portal.api_key up
      ON up.id = chain.made_by_key_id AND up.organization_id = k.organization_id)
  SELECT id FROM chain WHERE made_by_key_id IS NULL)`;
const valid = 'k.revoked_at IS NULL AND (k.made_by_user_id IS NULL OR m.user_id IS NOT NULL)';

/** A key of a lineage. One that was revoked earlier is not revoked again. */
type RevokedKey = ShownKey & { is_revoked: boolean };

@Injectable()
export class ApiKeyRepository {
  constructor(
    private readonly db: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /** The key with this hash, unless it is revoked or its maker is suspended or no longer a member. */
  async findByHash(hash: Buffer): Promise<ValidKey | null> {
    const [key] = (await this.db.query(
      `SELECT k.id, k.organization_id, k.project_id, k.scopes, k.expires_at, k.last_used_at, k.made_by_user_id,
              m.role AS maker_role, ${rootOf} AS root_key_id,
              p.closed_at IS NOT NULL AS project_closed, h.state AS moves, h.peer
         FROM portal.api_key k LEFT JOIN portal.project p ON p.id = k.project_id
              LEFT JOIN journal.project_hold h ON h.project_id = k.project_id LEFT JOIN ${maker}
        WHERE k.hash = $1 AND ${valid}`,
      [hash],
    )) as ValidKey[];
    return key ?? null;
  }

  async insert(caller: Principal, row: Omit<ApiKey, 'created_at' | 'revoked_at' | 'last_used_at'>): Promise<ApiKey> {
    return this.db.transaction(async (tx) => {
      const key = await tx.save(ApiKey, tx.create(ApiKey, row), { reload: true });
      const after = shownOf(key);
      await this.audit.append(tx, caller, { action: 'api_key.created', subject: key.id, before: null, after });
      return key;
    });
  }

  /** Newest first, revoked ones included. */
  list(scope: ProjectScope, limit: number, cursor: string | undefined): Promise<ApiKey[]> {
    const query = this.db.manager
      .createQueryBuilder(ApiKey, 'k')
      .where('k.organization_id = :organizationId AND k.project_id = :projectId', {
        organizationId: scope.organizationId,
        projectId: scope.projectId,
      })
      .orderBy('k.id', 'DESC')
      .take(limit);
    if (cursor !== undefined) query.andWhere('k.id < :cursor', { cursor });
    return query.getMany();
  }

  /** A key that is not revoked. */
  findById(scope: Pick<ProjectScope, 'organizationId'>, id: string): Promise<ApiKey | null> {
    return this.db.manager
      .createQueryBuilder(ApiKey, 'k')
      .where('k.id = :id AND k.organization_id = :organizationId AND k.revoked_at IS NULL', { ...scope, id })
      .getOne();
  }

  /** The holders among these (`key:<id>:<role of its maker>`) that are still valid as given. */
  async validAmong(holders: string[]): Promise<Set<string>> {
    const rows = (await this.db.query(
      `SELECT concat('key:', k.id, ':', m.role) AS holder
         FROM portal.api_key k JOIN portal.project p ON p.id = k.project_id AND p.closed_at IS NULL LEFT JOIN ${maker}
        WHERE k.id = ANY($1) AND ${valid} AND (k.expires_at IS NULL OR k.expires_at > now())`,
      [holders.map((holder) => holder.split(':')[1])],
    )) as { holder: string }[];
    return new Set(rows.map(({ holder }) => holder));
  }

  /**
   * Revokes a key and its whole lineage: the keys that it made, those that these made, and so on.
   * @returns false when there is no such key; revoking again changes nothing
   */
  async revoke(caller: Principal, id: string): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const found = await this.revokeIn(tx, caller, id);
      for (const key of found.filter(({ is_revoked }) => is_revoked)) {
        const shown = shownOf(key);
        const [before, after] = [
          { ...shown, revoked: false },
          { ...shown, revoked: true, ...(key.id === id ? {} : { with: id }) },
        ];
        await this.audit.append(tx, caller, { action: 'api_key.revoked', subject: key.id, before, after });
      }
      return found.length > 0;
    });
  }

  private async revokeIn(tx: EntityManager, scope: ProjectScope, id: string): Promise<RevokedKey[]> {
    return (await tx.query(
      `WITH RECURSIVE lineage AS (
         SELECT id FROM portal.api_key WHERE id = $1 AND organization_id = $2 AND project_id = $3
          UNION SELECT k.id FROM portal.api_key k JOIN lineage l ON k.made_by_key_id = l.id WHERE k.organization_id = $2),
       revoked AS (
         UPDATE portal.api_key SET revoked_at = now()
          WHERE id IN (SELECT id FROM lineage) AND revoked_at IS NULL RETURNING id)
       SELECT k.id, k.name, k.last4, k.scopes, k.made_by_key_id, k.expires_at, r.id IS NOT NULL AS is_revoked
         FROM lineage JOIN portal.api_key k USING (id) LEFT JOIN revoked r USING (id)`,
      [id, scope.organizationId, scope.projectId],
    )) as RevokedKey[];
  }

  async touch(id: string): Promise<void> {
    await this.db.manager.update(ApiKey, { id }, { last_used_at: () => 'now()' });
  }
}

/** The part of a key that the audit log keeps. */
function shownOf({ name, last4, scopes, made_by_key_id, expires_at }: ShownKey): object {
  return { name, last4, scopes, made_by_key_id, expires_at };
}
