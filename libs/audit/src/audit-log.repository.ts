import { firstId, newId, type Order, type ProjectScope } from '#libs/contracts';
import { keyset, type Queryable, storableJson } from '#libs/database';
import { type Principal, Problem } from '#libs/service-kit';
import { Injectable, type Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AuditAction, AuditRecord } from './audit.entity.js';

/** Who did it, where, and in which request. */
export type AuditActor = Pick<Principal, 'organizationId' | 'projectId' | 'subject' | 'requestId'>;

/** Filters for entries; absent: any. */
export interface AuditFilter {
  action?: AuditAction;
  actor?: string;
  subject?: string;
  /** An RFC 3339 time; only earlier ones. */
  before?: string;
}

export interface AuditedChange {
  action: AuditAction;
  /** Id of what is changed. */
  subject: string;
  before: object | null;
  after: object | null;
}

/** The audit log of one service. An entry shares the transaction of its change, so neither exists without the other. */
@Injectable()
export class AuditLog {
  constructor(
    private readonly db: DataSource,
    private readonly schema: string,
  ) {}

  /** @param tx the transaction that makes the change */
  async append(tx: Queryable, by: AuditActor, { action, subject, before, after }: AuditedChange): Promise<void> {
    const json = (value: object | null): string | null => (value === null ? null : storableJson(value));
    await tx.query(
      `INSERT INTO ${this.schema}.audit (id, organization_id, project_id, actor, action, subject, before, after, request_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        newId('aud'),
        by.organizationId,
        by.projectId,
        by.subject,
        action,
        subject,
        json(before),
        json(after),
        by.requestId ?? null,
      ],
    );
  }

  /** Entries of the project, and of the organization as a whole: at most `limit`, after `cursor`. */
  async list(
    { organizationId, projectId }: ProjectScope,
    limit: number,
    { cursor, order = 'desc', action, actor, subject, before }: AuditFilter & { cursor?: string; order?: Order } = {},
    db: Queryable = this.db,
  ): Promise<AuditRecord[]> {
    const { after: next, by } = keyset('id', '$3', order);
    const end = before === undefined ? null : firstId('aud', timeIn(before));
    return (await db.query(
      `SELECT id, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, actor, action, subject, before,
              after, request_id
         FROM ${this.schema}.audit
        WHERE organization_id = $1 AND project_id IN ($2, '') AND ${next}
          AND ($4::text IS NULL OR action = $4) AND ($5::text IS NULL OR actor = $5) AND ($6::text IS NULL OR subject = $6)
          AND ($8::text IS NULL OR id < $8)
        ORDER BY ${by} LIMIT $7`,
      [organizationId, projectId, cursor ?? null, action ?? null, actor ?? null, subject ?? null, limit, end],
    )) as AuditRecord[];
  }
}

/** @param schema of the service; its migrations create the table */
export function auditProvider(schema: string): Provider {
  return { provide: AuditLog, useFactory: (db: DataSource) => new AuditLog(db, schema), inject: [DataSource] };
}

/** @throws Problem 422: any other text would be taken for no filter */
function timeIn(text: string): Date {
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time;
  const message = 'no time: write one as 2026-01-31T12:00:00Z';
  throw new Problem(422, 'invalid_fields', 'before is no time.', [{ field: 'before', message }]);
}
