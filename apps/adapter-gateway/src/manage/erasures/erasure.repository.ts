import { columnsOf, type ProjectScope } from '#libs/contracts';
import { Database, storableJson } from '#libs/database';
import { Injectable } from '@nestjs/common';

export interface KnownSender {
  app_id: string;
  sender: string;
}

/** What the gateway has of a contact. Ids, times and outcomes of deliveries stay. */
@Injectable()
export class ErasureRepository {
  constructor(private readonly db: Database) {}

  /** A delivery that waits ends unsent. @returns also how many are being sent, which are left */
  async eraseDeliveries(
    owner: ProjectScope,
    ids: string[],
    by: string,
  ): Promise<{ deliveries: number; files: number; open: number }> {
    const { organization_id, project_id } = columnsOf(owner);
    const [row] = (await this.db.query(
      `WITH mine AS (SELECT id, state FROM gateway.delivery WHERE id = ANY($1) AND organization_id = $2 AND project_id = $3
          ORDER BY id FOR UPDATE),
       erased AS (UPDATE gateway.delivery d SET moved_to = NULL, error_detail = NULL, provider_status_detail = NULL,
           content = jsonb_build_object('text', '', 'erased', $4::jsonb, 'target', jsonb_build_object('app_id', d.app_id,
             'channel_address', NULL, 'thread_id', NULL, 'reply_context', NULL)),
           state = CASE d.state WHEN 'queued' THEN 'expired' ELSE d.state END,
           reason = CASE d.state WHEN 'queued' THEN 'erased' ELSE d.reason END,
           claim = d.claim + 1, ended_at = coalesce(d.ended_at, now())
          FROM mine WHERE d.id = mine.id AND mine.state <> 'sending' AND d.content -> 'erased' IS NULL RETURNING d.id),
       files AS (DELETE FROM gateway.delivery_attachment a USING erased WHERE a.delivery_id = erased.id RETURNING 1),
       parts AS (DELETE FROM gateway.delivery_part p USING erased WHERE p.delivery_id = erased.id),
       choices AS (DELETE FROM gateway.offered_choice o USING erased WHERE o.delivery_id = erased.id)
       SELECT (SELECT count(*) FROM erased)::integer AS deliveries, (SELECT count(*) FROM files)::integer AS files,
              (SELECT count(*) FROM mine WHERE state = 'sending')::integer AS open`,
      [ids, organization_id, project_id, storableJson({ at: new Date().toISOString(), by })],
    )) as { deliveries: number; files: number; open: number }[];
    return row ?? { deliveries: 0, files: 0, open: 0 };
  }

  async eraseParsed(owner: ProjectScope, receiptIds: string[]): Promise<number> {
    const [row] = (await this.db.query(
      `WITH gone AS (DELETE FROM gateway.parsed_messages WHERE receipt_id = ANY($1) AND organization_id = $2 RETURNING 1)
       SELECT count(*)::integer AS n FROM gone`,
      [receiptIds, owner.organizationId],
    )) as { n: number }[];
    return row?.n ?? 0;
  }

  /** Web chats of these visitors, with their files, addresses and mails. What an address has refused goes, too. */
  async eraseChats(owner: ProjectScope, senders: KnownSender[]): Promise<Record<string, number>> {
    const { organization_id, project_id } = columnsOf(owner);
    const [row] = (await this.db.query(
      `WITH mine AS (SELECT s.app_id, s.sender AS visitor
           FROM jsonb_to_recordset($1::jsonb) AS s(app_id text, sender text)
           JOIN gateway.app a ON a.id = s.app_id AND a.organization_id = $2 AND a.project_id = $3),
       messages AS (DELETE FROM gateway.web_chat_message m USING mine
         WHERE m.app_id = mine.app_id AND m.visitor = mine.visitor RETURNING 1),
       files AS (DELETE FROM gateway.web_chat_file f USING mine
         WHERE f.app_id = mine.app_id AND f.visitor = mine.visitor RETURNING 1),
       chats AS (DELETE FROM gateway.web_chat_conversation c USING mine
         WHERE c.app_id = mine.app_id AND c.visitor = mine.visitor RETURNING 1),
       mails AS (DELETE FROM gateway.web_chat_mail m USING mine
         WHERE m.app_id = mine.app_id AND m.visitor = mine.visitor RETURNING m.app_id, m.email),
       addresses AS (DELETE FROM gateway.web_chat_address a USING mine
         WHERE a.app_id = mine.app_id AND a.visitor = mine.visitor RETURNING a.app_id, a.email),
       recipients AS (DELETE FROM gateway.web_chat_recipient r USING (SELECT app_id, email FROM addresses UNION
           SELECT app_id, email FROM mails) gone WHERE r.app_id = gone.app_id AND r.email = gone.email RETURNING 1)
       SELECT (SELECT count(*) FROM messages)::integer AS web_chat_messages,
              (SELECT count(*) FROM files)::integer AS web_chat_files, (SELECT count(*) FROM chats)::integer AS web_chats,
              (SELECT count(*) FROM mails)::integer AS web_chat_mails,
              (SELECT count(*) FROM addresses)::integer AS mail_addresses`,
      [storableJson(senders), organization_id, project_id],
    )) as Record<string, number>[];
    return row ?? {};
  }

  /** Deliveries of mails to these visitors: they go before the rows that name them. */
  async mailsTo(senders: KnownSender[]): Promise<string[]> {
    const rows = (await this.db.query(
      `SELECT m.delivery_id AS id FROM gateway.web_chat_mail m
         JOIN jsonb_to_recordset($1::jsonb) AS s(app_id text, sender text) ON m.app_id = s.app_id AND m.visitor = s.sender
        WHERE m.delivery_id IS NOT NULL`,
      [storableJson(senders)],
    )) as { id: string }[];
    return rows.map(({ id }) => id);
  }
}
