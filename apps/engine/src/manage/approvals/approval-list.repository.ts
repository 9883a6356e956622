import type { Order, ProjectScope } from '#libs/contracts';
import { keyset } from '#libs/database';
import { containing } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Approval } from '../../entities/approval.entity.js';

/** Lists of approvals. */
@Injectable()
export class ApprovalListRepository {
  constructor(private readonly db: DataSource) {}

  /** One more than `limit` if there are more. */
  async list(
    owner: ProjectScope,
    filter: {
      state: string | null;
      receiptId: string | null;
      search: string | null;
      limit: number;
      cursor: string | null;
      order: Order;
    },
  ): Promise<Approval[]> {
    const { state, receiptId, search, limit, cursor, order } = filter;
    const { after, by } = keyset('id', '$4', order);
    return (await this.db.query(
      `SELECT * FROM engine.approval
        WHERE organization_id = $1 AND project_id = $2 AND ($3::text IS NULL OR state = $3) AND ${after}
          AND ($6::text IS NULL OR receipt_id = $6) AND ($7::text IS NULL OR tool ILIKE $7)
        ORDER BY ${by} LIMIT $5`,
      [
        owner.organizationId,
        owner.projectId,
        state,
        cursor,
        limit + 1,
        receiptId,
        search === null ? null : containing(search),
      ],
    )) as Approval[];
  }

  /** Ids of approvals that were not decided in time. */
  async overdue(limit: number): Promise<string[]> {
    const rows = (await this.db.query(
      "SELECT id FROM engine.approval WHERE state = 'pending' AND expires_at <= now() ORDER BY expires_at LIMIT $1",
      [limit],
    )) as { id: string }[];
    return rows.map((row) => row.id);
  }
}
