import { newId, type OutboundContent, type SettledDelivery } from '#libs/contracts';
import { type Queryable, storableJson, withoutFlush } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Turn } from '../turns/turn.entity.js';
import type { Reply } from './reply.entity.js';

export type OfferedReply = Omit<Reply, 'kind' | 'state' | 'outcome' | 'offered_at' | 'created_at'>;

export type SentReply = Pick<Reply, 'delivery_id' | 'turn_id' | 'kind' | 'state' | 'outcome'>;

const offered = 'delivery_id, turn_id, organization_id, project_id, receipt_id, content, traceparent';

@Injectable()
export class ReplyRepository {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Replies of these turns that the gateway has not taken. */
  async openOf(turnIds: string[]): Promise<OfferedReply[]> {
    const sql = `SELECT ${offered} FROM engine.reply WHERE turn_id = ANY($1) AND state = 'open'`;
    return (await this.db.query(sql, [turnIds])) as OfferedReply[];
  }

  /** Adds what the sender of a failed turn is told, once for a turn. */
  async addNotice(
    tx: Queryable,
    turn: Pick<Turn, 'id' | 'organization_id' | 'project_id' | 'receipt_id' | 'traceparent'>,
    content: OutboundContent,
  ): Promise<void> {
    await tx.query(
      `INSERT INTO engine.reply (delivery_id, turn_id, organization_id, project_id, receipt_id, content, traceparent, state,
              offered_at, kind)
       VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7, 'open', now(), 'failure_notice') ON CONFLICT (turn_id, kind) DO NOTHING`,
      [
        newId('dlv'),
        turn.id,
        turn.organization_id,
        turn.project_id,
        turn.receipt_id,
        storableJson(content),
        turn.traceparent,
      ],
    );
  }

  /** What turns sent, by turn, in the order in which it was written. */
  async ofTurns(turnIds: string[]): Promise<SentReply[]> {
    if (turnIds.length === 0) return [];
    return (await this.db.query(
      `SELECT delivery_id, turn_id, kind, state, outcome FROM engine.reply WHERE turn_id = ANY($1) ORDER BY created_at, kind`,
      [turnIds],
    )) as SentReply[];
  }

  async contentOf(deliveryId: string): Promise<OutboundContent | null> {
    const rows = (await this.db.query('SELECT content FROM engine.reply WHERE delivery_id = $1', [deliveryId])) as Pick<
      Reply,
      'content'
    >[];
    return rows[0]?.content ?? null;
  }

  /** Open replies whose last offer is `afterMs` old, marked as offered now. */
  async takeUnanswered(limit: number, afterMs: number): Promise<OfferedReply[]> {
    return (await this.db.query(
      `WITH late AS (
         SELECT delivery_id AS id FROM engine.reply
          WHERE state = 'open' AND offered_at < now() - $2 * interval '1 millisecond'
          ORDER BY offered_at LIMIT $1 FOR UPDATE SKIP LOCKED),
       taken AS (UPDATE engine.reply r SET offered_at = now() FROM late WHERE r.delivery_id = late.id RETURNING r.*)
       SELECT ${offered} FROM taken`,
      [limit, afterMs],
    )) as OfferedReply[];
  }

  /** Notes what the gateway says of deliveries. An end is final, whatever comes after it. */
  async settle(deliveries: SettledDelivery[]): Promise<void> {
    const last = new Map<string, string>();
    for (const { delivery_id, state } of deliveries) {
      if (state !== 'taken' || !last.has(delivery_id)) last.set(delivery_id, state);
    }
    await this.db.query(
      `UPDATE engine.reply r SET state = CASE d.state WHEN 'taken' THEN 'taken' ELSE 'settled' END,
              outcome = nullif(d.state, 'taken')
         FROM ${withoutFlush}, unnest($1::text[], $2::text[]) AS d(delivery_id, state)
        WHERE r.delivery_id = d.delivery_id AND (r.state = 'open' OR (r.state = 'taken' AND d.state <> 'taken')
            -- A person settled it, or had it sent again.
            OR (r.outcome IN ('dead', 'unknown') AND d.state = 'delivered'))`,
      [[...last.keys()], [...last.values()]],
    );
  }
}
