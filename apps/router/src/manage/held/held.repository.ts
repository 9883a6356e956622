import type { Order } from '#libs/contracts';
import { keyset } from '#libs/database';
import { type ListRead, ListReads } from '#libs/list-reads';
import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type MessageRow, messagesSql, type Packed, shown } from '../../entities/message.entity.js';

/** Messages that were kept from routing: held, paused, dropped, blocked or parked. */
@Injectable()
export class HeldRepository {
  constructor(
    private readonly db: DataSource,
    private readonly reads: ListReads,
  ) {}

  /** May lag. */
  list(
    caller: Principal,
    filter: { outcome: string | null; appId: string | null; cursor: string | null; order: Order; limit: number },
  ): Promise<ListRead<MessageRow[]>> {
    const { after, by } = keyset('id', '$5', filter.order);
    const { organizationId, projectId } = caller;
    return this.reads.read('held-messages', caller, async (db) => {
      const rows = await db.query<Packed<MessageRow>[]>(
        `${messagesSql}
        WHERE organization_id = $1 AND project_id = $2 AND outcome NOT IN ('routed', 'no_match') AND released_at IS NULL
          AND ($3::text IS NULL OR outcome = $3) AND ($4::text IS NULL OR app_id = $4) AND ${after}
        ORDER BY ${by} LIMIT $6`,
        [organizationId, projectId, filter.outcome, filter.appId, filter.cursor, filter.limit],
      );
      return rows.map(shown<MessageRow>);
    });
  }

  /** Messages of contacts that wait for the sender to be admitted. */
  async heldOf(contactIds: string[]): Promise<string[]> {
    const rows = (await this.db.query(
      `SELECT id FROM router.message
        WHERE contact_id = ANY($1) AND outcome = 'held_unknown_sender' AND released_at IS NULL ORDER BY id`,
      [contactIds],
    )) as { id: string }[];
    return rows.map((row) => row.id);
  }

  async messagesOf(contactIds: string[], cursor: string | null, limit: number): Promise<MessageRow[]> {
    const rows = (await this.db.query(
      `${messagesSql} WHERE contact_id = ANY($1) AND ($2::text IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
      [contactIds, cursor, limit],
    )) as Packed<MessageRow>[];
    return rows.map(shown<MessageRow>);
  }
}
