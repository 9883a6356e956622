import { columnsOf, type ProjectScope } from '#libs/contracts';
import { Database, storableJson, type Transaction } from '#libs/database';
import { Journal } from '#libs/journal';
import { Injectable } from '@nestjs/common';

export interface KnownSender {
  app_id: string;
  sender: string;
}

interface ErasedDeliveries {
  deliveries: number;
  files: number;
  /** How many are being sent, which are left. */
  open: number;
}

type ErasedChats = ErasedDeliveries & Record<string, number>;

const mine = `mine AS (SELECT s.app_id, s.sender AS visitor
           FROM jsonb_to_recordset($1::jsonb) AS s(app_id text, sender text)
           JOIN gateway.app a ON a.id = s.app_id AND a.organization_id = $2 AND a.project_id = $3)`;
const ofMine = (t: string): string => `${t}.app_id = mine.app_id AND ${t}.visitor = mine.visitor`;

/** What the gateway has of a contact. Ids, times and outcomes of deliveries stay. */
@Injectable()
export class ErasureRepository {
  constructor(
    private readonly db: Database,
    private readonly journal: Journal,
  ) {}

  /** A delivery that waits ends unsent. */
  eraseDeliveries(owner: ProjectScope, ids: string[], by: string): Promise<ErasedDeliveries> {
    return this.db.transaction((tx) => this.eraseDeliveriesIn(tx, owner, ids, by));
  }

  private async eraseDeliveriesIn(
    tx: Transaction,
    owner: ProjectScope,
    ids: string[],
    by: string,
  ): Promise<ErasedDeliveries> {
    const { organization_id, project_id } = columnsOf(owner);
    const [row] = (await tx.query(
      `WITH mine AS (SELECT id, state FROM gateway.delivery WHERE id = ANY($1) AND organization_id = $2 AND project_id = $3
          ORDER BY id FOR UPDATE),
       erased AS (UPDATE gateway.delivery d SET moved_to = NULL, error_detail = NULL, provider_status_detail = NULL,
           content = jsonb_build_object('text', '', 'erased', $4::jsonb, 'target', jsonb_build_object('app_id', d.app_id,
             'channel_address', NULL, 'thread_id', NULL, 'reply_context', NULL)),
           state = CASE d.state WHEN 'queued' THEN 'expired' ELSE d.state END,
           reason = CASE d.state WHEN 'queued' THEN 'erased' ELSE d.reason END,
           claim = d.claim + 1, ended_at = coalesce(d.ended_at, now())
          FROM mine WHERE d.id = mine.id AND mine.state <> 'sending' AND d.content -> 'erased' IS NULL
         RETURNING d.id, d.app_id, d.receipt_id, d.tries, mine.state AS was),
       files AS (DELETE FROM gateway.delivery_attachment a USING erased WHERE a.delivery_id = erased.id RETURNING 1),
       parts AS (DELETE FROM gateway.delivery_part p USING erased WHERE p.delivery_id = erased.id),
       choices AS (DELETE FROM gateway.offered_choice o USING erased WHERE o.delivery_id = erased.id)
       SELECT (SELECT count(*) FROM erased)::integer AS deliveries, (SELECT count(*) FROM files)::integer AS files,
              (SELECT count(*) FROM mine WHERE state = 'sending')::integer AS open,
              (SELECT coalesce(jsonb_agg(erased), '[]') FROM erased WHERE was = 'queued') AS unsent`,
      [ids, organization_id, project_id, storableJson({ at: new Date().toISOString(), by })],
    )) as (ErasedDeliveries & { unsent: { id: string; app_id: string; receipt_id: string; tries: number }[] })[];
    const { unsent, ...counts } = row ?? { deliveries: 0, files: 0, open: 0, unsent: [] };
    for (const { id, app_id, receipt_id, tries } of unsent) {
      const whose = { organization_id, project_id, app_id, receipt_id, subject_id: id, attempt: Math.max(1, tries) };
      const detail = { by, text: 'The data of its reader was erased, so it was not sent.' };
      await this.journal.appendIn(tx, { ...whose, stage: 'delivery', outcome: 'expired', reason: 'erased', detail });
    }
    return counts;
  }

  async eraseParsed(owner: ProjectScope, receiptIds: string[]): Promise<number> {
    const [row] = (await this.db.query(
      `WITH gone AS (DELETE FROM gateway.parsed_messages WHERE receipt_id = ANY($1) AND organization_id = $2 RETURNING 1)
       SELECT count(*)::integer AS n FROM gone`,
      [receiptIds, owner.organizationId],
    )) as { n: number }[];
    return row?.n ?? 0;
  }

  /**
   * Web chats of these visitors, with their files, addresses and mails. What an address has refused goes, too. Whoever hands
   * a mail over locks its conversation, as this does: so either its delivery is found here, or its mail is gone. While one
   * is being sent, what names it stays.
   */
  eraseChats(owner: ProjectScope, senders: KnownSender[], by: string): Promise<ErasedChats> {
    const { organization_id, project_id } = columnsOf(owner);
    const parameters = [storableJson(senders), organization_id, project_id];
    return this.db.transaction(async (tx) => {
      await tx.query(
        `WITH ${mine} SELECT FROM gateway.web_chat_conversation c JOIN mine ON ${ofMine('c')}
          ORDER BY c.app_id, c.visitor FOR UPDATE OF c`,
        parameters,
      );
      const [mails] = (await tx.query(
        `WITH ${mine},
         waiting AS (DELETE FROM gateway.web_chat_mail m USING mine WHERE ${ofMine('m')} AND m.delivery_id IS NULL RETURNING 1)
         SELECT (SELECT count(*) FROM waiting)::integer AS waiting,
                (SELECT coalesce(jsonb_agg(m.delivery_id), '[]') FROM gateway.web_chat_mail m JOIN mine ON ${ofMine('m')}
                  WHERE m.delivery_id IS NOT NULL) AS handed`,
        parameters,
      )) as { waiting: number; handed: string[] }[];
      const { waiting = 0, handed = [] } = mails ?? {};
      const deliveries = await this.eraseDeliveriesIn(tx, owner, handed, by);
      if (deliveries.open > 0) return { ...deliveries, web_chat_mails: waiting };
      const [row] = (await tx.query(
        `WITH ${mine},
         messages AS (DELETE FROM gateway.web_chat_message m USING mine WHERE ${ofMine('m')} RETURNING 1),
         files AS (DELETE FROM gateway.web_chat_file f USING mine WHERE ${ofMine('f')} RETURNING 1),
         chats AS (DELETE FROM gateway.web_chat_conversation c USING mine WHERE ${ofMine('c')} RETURNING 1),
         mails AS (DELETE FROM gateway.web_chat_mail m USING mine WHERE ${ofMine('m')} RETURNING m.app_id, m.email),
         addresses AS (DELETE FROM gateway.web_chat_address a USING mine WHERE ${ofMine('a')} RETURNING a.app_id, a.email),
         recipients AS (DELETE FROM gateway.web_chat_recipient r USING (SELECT app_id, email FROM addresses UNION
             SELECT app_id, email FROM mails) gone WHERE r.app_id = gone.app_id AND r.email = gone.email RETURNING 1)
         SELECT (SELECT count(*) FROM messages)::integer AS web_chat_messages,
                (SELECT count(*) FROM files)::integer AS web_chat_files, (SELECT count(*) FROM chats)::integer AS web_chats,
                (SELECT count(*) FROM mails)::integer AS web_chat_mails,
                (SELECT count(*) FROM addresses)::integer AS mail_addresses`,
        parameters,
      )) as Record<string, number>[];
      return { ...deliveries, ...row, web_chat_mails: waiting + (row?.['web_chat_mails'] ?? 0) };
    });
  }
}
