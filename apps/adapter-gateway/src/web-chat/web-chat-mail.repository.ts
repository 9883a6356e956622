import type { OutboundContent } from '#libs/contracts';
import { type Database as Db, storableJson, type Transaction } from '#libs/database';
import { leaveSql, type Settlement, Work } from '#libs/work';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import type { DeliveryRow } from '../entities/delivery.entity.js';
import { WebChatMail } from './web-chat-mail.entity.js';
import type { WebChatMessage } from './web-chat.entity.js';

/** One statement, and the reads before it. */
const leaseMs = 30_000;

/** A mail as it is handed to the deliveries. */
export interface Handed {
  delivery: string;
  mailApp: string;
  email: string;
  content: OutboundContent;
  files: Buffer[];
}

/** How many codes have gone where in the last day. */
export interface CodeCounts {
  toAddress: number;
  ofNetwork: number;
  ofApp: number;
}

@Injectable()
export class WebChatMailRepository {
  readonly work: Work<WebChatMail>;
  private readonly db: Pick<Db, 'query'>;

  constructor(@InjectRepository(WebChatMail) private readonly rows: Repository<WebChatMail>) {
    this.db = rows.manager;
    this.work = new Work(rows, { table: 'gateway.web_chat_mail', leaseMs, owner: () => null });
  }

  transaction<T>(act: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.rows.manager.transaction(act);
  }

  /**
   * How many have gone to an address in the last day. The transaction holds the address from here: two that count at once
   * would both go.
   */
  async toAddress(
    tx: Transaction,
    kind: WebChatMail['kind'],
    { organization_id, email }: Pick<WebChatMail, 'organization_id' | 'email'>,
  ): Promise<number> {
    await hold(tx, `${organization_id} ${email}`);
    const [row] = (await tx.query(
      `SELECT count(*)::integer AS n FROM gateway.web_chat_mail WHERE organization_id = $1 AND email = $2 AND kind = $3
          AND created_at > now() - interval '1 day' AND delivery_id IS NOT NULL`,
      [organization_id, email, kind],
    )) as { n: number }[];
    return row?.n ?? 0;
  }

  /** Of codes. Also holds the App and then the network: always in this order, or two would wait for each other. */
  async codesLately(
    tx: Transaction,
    of: Pick<WebChatMail, 'organization_id' | 'app_id' | 'email' | 'network'>,
  ): Promise<CodeCounts> {
    const toAddress = await this.toAddress(tx, 'code', of);
    await hold(tx, `codes of App ${of.app_id}`);
    await hold(tx, `codes of network ${of.network}`);
    const [row] = (await tx.query(
      `SELECT (SELECT count(*) FROM gateway.web_chat_mail WHERE network = $1
                  AND created_at > now() - interval '1 day')::integer AS "ofNetwork",
              (SELECT count(*) FROM gateway.web_chat_mail WHERE app_id = $2 AND kind = 'code'
                  AND created_at > now() - interval '1 day')::integer AS "ofApp"`,
      [of.network, of.app_id],
    )) as Omit<CodeCounts, 'toAddress'>[];
    return { toAddress, ofNetwork: 0, ofApp: 0, ...row };
  }

  /** Adds a code's mail, with its delivery. */
  async code(tx: Transaction, row: NewMail, handed: Handed): Promise<void> {
    await tx.query(
      `INSERT INTO gateway.web_chat_mail (id, organization_id, project_id, app_id, visitor, kind, network, email, delivery_id, state)
       VALUES ($1, $2, $3, $4, $5, 'code', $6, $7, $8, 'handed')`,
      [
        row.id,
        row.organization_id,
        row.project_id,
        row.app_id,
        row.visitor,
        row.network,
        handed.email,
        handed.delivery,
      ],
    );
    await this.deliver(tx, row, handed, handed.delivery);
  }

  /**
   * Hands an answer over: from here its delivery has it. Not if the visitor is or was there: whoever opens a page locks
   * the same row of the conversation.
   * @returns false: nothing was written
   */
  async handOver(tx: Transaction, row: WebChatMail, awayMs: number, handed: Handed): Promise<boolean> {
    const taken = (await tx.query(
      `WITH there AS (SELECT seen_seq, seen_at FROM gateway.web_chat_conversation WHERE app_id = $1 AND visitor = $2 FOR UPDATE),
       mine AS (UPDATE gateway.web_chat_mail SET state = 'handed', ${leaveSql}, delivery_id = $5, email = $6, reason = NULL
         WHERE id = $3 AND claim = $4 AND state = 'running' AND EXISTS (SELECT FROM there
           WHERE seen_seq < $7 AND (seen_at IS NULL OR seen_at <= now() - $8::float8 * interval '1 millisecond'))
        RETURNING id)
       SELECT id FROM mine`,
      [row.app_id, row.visitor, row.id, row.claim, handed.delivery, handed.email, row.seq, awayMs],
    )) as unknown[];
    if (taken.length === 0) return false;
    await this.deliver(tx, row, handed, row.receipt_id ?? handed.delivery);
    return true;
  }

  private async deliver(
    tx: Transaction,
    { id, organization_id, project_id }: Pick<WebChatMail, 'id' | 'organization_id' | 'project_id'>,
    { delivery, mailApp, content, files }: Handed,
    receiptId: string,
  ): Promise<void> {
    await tx.query(
      `WITH made AS (INSERT INTO gateway.delivery (id, organization_id, project_id, app_id, receipt_id, content, from_part,
           created_at, idempotency_key) VALUES ($1, $2, $3, $4, $5, $6, 0, now(), $7) RETURNING id)
       INSERT INTO gateway.delivery_attachment (delivery_id, seq, content)
       SELECT made.id, file.seq, file.content FROM made, unnest($8::bytea[]) WITH ORDINALITY AS file(content, seq)`,
      [delivery, organization_id, project_id, mailApp, receiptId, storableJson(content), `web chat mail ${id}`, files],
    );
  }

  async settle(settlement: Settlement): Promise<void> {
    await this.work.settle([settlement]);
  }

  /** The visitor has been sent it on a page, so it does not go. */
  async notNeeded({ id, claim }: WebChatMail): Promise<void> {
    await this.db.query(
      `UPDATE gateway.web_chat_mail SET state = 'shown', ${leaveSql}, ended_at = now()
        WHERE id = $1 AND claim = $2 AND state = 'running'`,
      [id, claim],
    );
  }

  async message({ app_id, visitor, message_id }: WebChatMail): Promise<WebChatMessage | null> {
    const [row] = (await this.db.query(
      `SELECT * FROM gateway.web_chat_message WHERE app_id = $1 AND visitor = $2 AND author = 'agent' AND id = $3`,
      [app_id, visitor, message_id],
    )) as WebChatMessage[];
    return row ?? null;
  }

  /** Whether a page has the answer, and in how many ms the visitor counts as away if no page is opened meanwhile. */
  async presence(
    { app_id, visitor, seq }: WebChatMail,
    awayMs: number,
  ): Promise<{ shown: boolean; inMs: number } | null> {
    const [row] = (await this.db.query(
      `SELECT seen_seq >= $3 AS shown,
              greatest(0, coalesce($4::float8 - extract(epoch FROM now() - seen_at)::float8 * 1000, 0)) AS "inMs"
         FROM gateway.web_chat_conversation WHERE app_id = $1 AND visitor = $2`,
      [app_id, visitor, seq, awayMs],
    )) as { shown: boolean; inMs: number }[];
    return row ?? null;
  }

  /** Ends the mails whose delivery has ended. */
  async end(tx: Transaction, limit: number): Promise<WebChatMail[]> {
    return (await tx.query(
      `WITH open AS (SELECT m.id, d.state, d.reason FROM gateway.web_chat_mail m
           LEFT JOIN gateway.delivery d ON d.id = m.delivery_id
          WHERE m.state = 'handed' AND (d.id IS NULL OR d.state NOT IN ('queued', 'sending'))
          ORDER BY m.created_at LIMIT $1 FOR UPDATE OF m SKIP LOCKED),
       ended AS (UPDATE gateway.web_chat_mail m SET ended_at = now(), reason = open.reason,
           state = CASE WHEN open.state = 'delivered' THEN 'sent' WHEN open.reason = 'visitor_returned' THEN 'shown' ELSE 'dead' END
         FROM open WHERE m.id = open.id RETURNING m.*)
       SELECT * FROM ended`,
      [limit],
    )) as WebChatMail[];
  }

  /** Of an answer's delivery: what became of its mail. Its address is the visitor. */
  async ofDelivery({ id, organization_id, project_id, app_id, ...row }: DeliveryRow): Promise<WebChatMail | null> {
    const visitor = row.moved_to ?? row.content.target.channel_address;
    if (visitor === null) return null;
    const message_id = In([id, `${id}/1`]);
    return this.rows.findOneBy({ app_id, visitor, message_id, organization_id, project_id });
  }

  async removeOld(days: number, limit: number): Promise<number> {
    const rows = (await this.db.query(
      `WITH gone AS (DELETE FROM gateway.web_chat_mail WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM gateway.web_chat_mail WHERE created_at < now() - make_interval(days => $1)
              AND state NOT IN ('queued', 'running', 'handed')
            ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING 1)
       SELECT count(*)::integer AS n FROM gone`,
      [days, limit],
    )) as { n: number }[];
    return rows[0]?.n ?? 0;
  }
}

export type NewMail = Pick<WebChatMail, 'id' | 'organization_id' | 'project_id' | 'app_id' | 'visitor' | 'network'>;

/** Until the transaction ends. */
const hold = (tx: Transaction, what: string): Promise<unknown> =>
  tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 183))', [what]);
