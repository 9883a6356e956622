import { newId, type ProjectScope } from '#libs/contracts';
import { Database, storableJson } from '#libs/database';
import { Injectable } from '@nestjs/common';
import type { DeliveryRow } from '../entities/delivery.entity.js';
import type { WebChatMessage } from './web-chat.entity.js';

/** Whose conversation. */
export interface Conversing {
  appId: string;
  visitor: string;
}

export type NewMessage = Conversing &
  ProjectScope &
  Pick<WebChatMessage, 'author' | 'id' | 'text' | 'format' | 'actions' | 'files'> & {
    /** Of an answer that also goes by mail if its visitor is away: the event in whose timeline that stands. */
    mail?: { receiptId: string; awayMs: number };
  };

/** A delivery by mail that did not leave, since its visitor came back. */
export type WithdrawnMail = Pick<
  DeliveryRow,
  'id' | 'organization_id' | 'project_id' | 'app_id' | 'receipt_id' | 'tries'
>;

export const visitorReturned = 'The visitor came back and has the answer on the page, so the mail was not sent.';

/** What a page is sent of a message. */
export type ShownMessage = Omit<WebChatMessage, 'app_id' | 'visitor'>;

const shown = 'm.seq, m.author, m.id, m.text, m.format, m.actions, m.files, m.created_at';
/** Messages of one conversation that a read gives; the next ones follow. */
export const readAtOnce = 100;
/** A conversation is cut to its newest messages once in so many. */
const cutEvery = 100;

@Injectable()
export class WebChatRepository {
  constructor(private readonly db: Database) {}

  /**
   * Adds a message once. The conversation's row is locked until the commit: a reader who has seen a number has seen all
   * before it. An answer that may go by mail gets its row of work with it: neither is there without the other.
   * @param kept messages of a conversation, the newest ones
   */
  async keep(message: NewMessage, kept: number): Promise<void> {
    const { appId, visitor, organizationId, projectId, author, id, text, format, actions, files, mail } = message;
    const [added] = (await this.db.query(
      `WITH conversation AS (
         INSERT INTO gateway.web_chat_conversation AS c (app_id, visitor, organization_id, project_id, last_seq)
         SELECT $1, $2, $3, $4, 1 WHERE NOT EXISTS (SELECT FROM gateway.web_chat_message
           WHERE app_id = $1 AND visitor = $2 AND author = $5 AND id = $6)
         ON CONFLICT (app_id, visitor) DO UPDATE SET last_seq = c.last_seq + 1, updated_at = now() RETURNING last_seq),
       stored AS (INSERT INTO gateway.web_chat_message (app_id, visitor, seq, author, id, text, format, actions, files)
         SELECT $1, $2, last_seq, $5, $6, $7, $8, $9::jsonb, $10::jsonb FROM conversation
         ON CONFLICT (app_id, visitor, author, id) DO NOTHING RETURNING seq),
       mail AS (INSERT INTO gateway.web_chat_mail (id, organization_id, project_id, app_id, visitor, kind, message_id, seq,
           receipt_id, due_at)
         SELECT $11, $3, $4, $1, $2, 'answer', $6, stored.seq, $12, now() + $13::float8 * interval '1 millisecond'
           FROM stored JOIN gateway.web_chat_mail_setting s ON s.app_id = $1 AND s.mail_app_id IS NOT NULL
           JOIN gateway.web_chat_address a ON a.app_id = $1 AND a.visitor = $2 AND a.verified_by IS NOT NULL AND a.off_at IS NULL
          WHERE $12::text IS NOT NULL ON CONFLICT DO NOTHING)
       SELECT seq FROM stored`,
      [
        appId,
        visitor,
        organizationId,
        projectId,
        author,
        id,
        text,
        format,
        actions === null ? null : storableJson(actions),
        files === null ? null : storableJson(files),
        newId('wcm'),
        mail?.receiptId ?? null,
        mail?.awayMs ?? 0,
      ],
    )) as { seq: number }[];
    if (!added || added.seq % cutEvery !== 0 || added.seq <= kept) return;
    await this.db.query(
      `WITH gone AS (DELETE FROM gateway.web_chat_message WHERE app_id = $1 AND visitor = $2 AND seq <= $3
         RETURNING files)
       DELETE FROM gateway.web_chat_file f WHERE app_id = $1 AND visitor = $2 AND id IN (
         SELECT file ->> 'id' FROM gone CROSS JOIN jsonb_array_elements(files) AS file)
          AND NOT EXISTS (SELECT FROM gateway.web_chat_message m WHERE m.app_id = $1 AND m.visitor = $2 AND m.seq > $3
            AND m.files @> jsonb_build_array(jsonb_build_object('id', f.id)))`,
      [appId, visitor, added.seq - kept],
    );
  }

  /** @returns the newest messages, oldest first */
  async newest({ appId, visitor }: Conversing, limit: number): Promise<ShownMessage[]> {
    const rows = (await this.db.query(
      `SELECT ${shown} FROM gateway.web_chat_message m WHERE app_id = $1 AND visitor = $2 ORDER BY seq DESC LIMIT $3`,
      [appId, visitor, limit],
    )) as ShownMessage[];
    return rows.toReversed();
  }

  /** Of its newest message, even one that is no longer kept; 0: there is no conversation. */
  async lastSeq({ appId, visitor }: Conversing): Promise<number> {
    const [row] = (await this.db.query(
      'SELECT last_seq FROM gateway.web_chat_conversation WHERE app_id = $1 AND visitor = $2',
      [appId, visitor],
    )) as { last_seq: number }[];
    return row?.last_seq ?? 0;
  }

  /** What readers have not been sent. @param readers their conversation, and the last number that each has */
  async after(readers: (Conversing & { seq: number })[]): Promise<(ShownMessage & { reader: number })[]> {
    return (await this.db.query(
      `SELECT r.reader, ${shown}
         FROM jsonb_to_recordset($1::jsonb) AS r(reader integer, app text, visitor text, seq integer)
        CROSS JOIN LATERAL (SELECT * FROM gateway.web_chat_message m
          WHERE m.app_id = r.app AND m.visitor = r.visitor AND m.seq > r.seq ORDER BY m.seq LIMIT ${readAtOnce}) m
        ORDER BY r.reader, m.seq`,
      [storableJson(readers.map(({ appId: app, visitor, seq }, reader) => ({ reader, app, visitor, seq })))],
    )) as (ShownMessage & { reader: number })[];
  }

  /**
   * Visitors have pages open, which have been sent their conversations up to `seq`. Mails that have not left stay: rows of
   * work end, and deliveries that wait are withdrawn. Does nothing where no answers go by mail.
   * @returns the deliveries that were withdrawn
   */
  async seen(readers: (Conversing & { seq: number })[]): Promise<WithdrawnMail[]> {
    return (await this.db.query(
      `WITH r AS (SELECT app, visitor, max(seq) AS seq
           FROM jsonb_to_recordset($1::jsonb) AS r(app text, visitor text, seq integer) GROUP BY app, visitor),
       there AS (SELECT c.app_id, c.visitor, r.seq FROM gateway.web_chat_conversation c
           JOIN r ON r.app = c.app_id AND r.visitor = c.visitor
           JOIN gateway.web_chat_mail_setting s ON s.app_id = c.app_id AND s.mail_app_id IS NOT NULL
          ORDER BY c.app_id, c.visitor FOR UPDATE OF c),
       seen AS (UPDATE gateway.web_chat_conversation c SET seen_at = now(), seen_seq = greatest(c.seen_seq, there.seq)
           FROM there WHERE c.app_id = there.app_id AND c.visitor = there.visitor),
       shown AS (UPDATE gateway.web_chat_mail m SET state = 'shown', ended_at = now()
           FROM there WHERE m.app_id = there.app_id AND m.visitor = there.visitor AND m.seq <= there.seq AND m.state = 'queued'),
       back AS (SELECT d.id FROM gateway.web_chat_mail m
           JOIN there ON m.app_id = there.app_id AND m.visitor = there.visitor AND m.seq <= there.seq
           JOIN gateway.delivery d ON d.id = m.delivery_id
          WHERE m.state = 'handed' AND d.state = 'queued' AND d.reason IS DISTINCT FROM 'answer_lost'
          ORDER BY d.id FOR UPDATE OF d SKIP LOCKED),
       withdrawn AS (UPDATE gateway.delivery d SET state = 'expired', reason = 'visitor_returned', ended_at = now(),
           claim = d.claim + 1, blocked_since = NULL, error_detail = $2
           FROM back WHERE d.id = back.id AND d.state = 'queued'
         RETURNING d.id, d.organization_id, d.project_id, d.app_id, d.receipt_id, d.tries)
       SELECT * FROM withdrawn`,
      [storableJson(readers.map(({ appId: app, visitor, seq }) => ({ app, visitor, seq }))), visitorReturned],
    )) as WithdrawnMail[];
  }

  /** Messages that the visitor wrote in the last minute. */
  async writtenLately({ appId, visitor }: Conversing): Promise<number> {
    const [row] = (await this.db.query(
      `SELECT count(*)::integer AS n FROM gateway.web_chat_message
        WHERE app_id = $1 AND visitor = $2 AND author = 'visitor' AND created_at > now() - interval '1 minute'`,
      [appId, visitor],
    )) as { n: number }[];
    return row?.n ?? 0;
  }

  async offered({ appId, visitor }: Conversing, messageId: string): Promise<WebChatMessage['actions']> {
    const [row] = (await this.db.query(
      `SELECT actions FROM gateway.web_chat_message
        WHERE app_id = $1 AND visitor = $2 AND author = 'agent' AND id = $3`,
      [appId, visitor, messageId],
    )) as Pick<WebChatMessage, 'actions'>[];
    return row?.actions ?? null;
  }

  /** Removes what is older, and conversations that then have nothing. @returns how many messages */
  async removeOld(days: number, limit: number): Promise<number> {
    const rows = (await this.db.query(
      `WITH gone AS (DELETE FROM gateway.web_chat_message WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM gateway.web_chat_message WHERE created_at < now() - make_interval(days => $1)
            ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING app_id, visitor),
         ended AS (DELETE FROM gateway.web_chat_conversation c USING (SELECT DISTINCT app_id, visitor FROM gone) g
           WHERE c.app_id = g.app_id AND c.visitor = g.visitor AND c.updated_at < now() - make_interval(days => $1))
       SELECT count(*)::integer AS n FROM gone`,
      [days, limit],
    )) as { n: number }[];
    return rows[0]?.n ?? 0;
  }
}
