import { columnsOf, type ProjectScope } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { WebChatAddress, WebChatMailSetting } from './web-chat-mail.entity.js';
import type { Conversing } from './web-chat.repository.js';

export type MailSetting = Pick<WebChatMailSetting, 'mail_app_id' | 'subject'>;
type Owner = Conversing & Pick<ProjectScope, 'organizationId'>;

/** Of this many wrong ones a code is no longer taken: one of a hundred million has to be guessed with them. */
const codeTries = 5;

const newToken = (): string => randomBytes(24).toString('base64url');

/** Through which App answers go by mail, and to which addresses. */
@Injectable()
export class WebChatAddressRepository {
  constructor(private readonly db: Database) {}

  async setting(appId: string): Promise<MailSetting> {
    const [row] = (await this.db.query(
      'SELECT mail_app_id, subject FROM gateway.web_chat_mail_setting WHERE app_id = $1',
      [appId],
    )) as MailSetting[];
    return row ?? { mail_app_id: null, subject: null };
  }

  /** @returns the setting before it */
  async set(
    tx: Transaction,
    appId: string,
    scope: ProjectScope,
    { mail_app_id, subject }: MailSetting,
  ): Promise<MailSetting> {
    const { organization_id, project_id } = columnsOf(scope);
    const [before] = (await tx.query(
      'SELECT mail_app_id, subject FROM gateway.web_chat_mail_setting WHERE app_id = $1 FOR UPDATE',
      [appId],
    )) as MailSetting[];
    await tx.query(
      `INSERT INTO gateway.web_chat_mail_setting (app_id, organization_id, project_id, mail_app_id, subject)
       VALUES ($1, $2, $3, $4, $5) ON CONFLICT (app_id) DO UPDATE
         SET mail_app_id = excluded.mail_app_id, subject = excluded.subject, updated_at = now()`,
      [appId, organization_id, project_id, mail_app_id, subject],
    );
    return before ?? { mail_app_id: null, subject: null };
  }

  /** Web chats of an organization whose answers go by this App. */
  async chatsOf(organizationId: string, mailAppId: string): Promise<boolean> {
    const rows: unknown[] = await this.db.query(
      'SELECT FROM gateway.web_chat_mail_setting WHERE mail_app_id = $2 AND organization_id = $1 LIMIT 1',
      [organizationId, mailAppId],
    );
    return rows.length > 0;
  }

  async of({ appId, visitor }: Conversing): Promise<(WebChatAddress & { refused: boolean }) | null> {
    const [row] = (await this.db.query(
      `SELECT a.*, r.off_at IS NOT NULL AS refused FROM gateway.web_chat_address a
         LEFT JOIN gateway.web_chat_recipient r ON r.app_id = a.app_id AND r.email = a.email
        WHERE a.app_id = $1 AND a.visitor = $2`,
      [appId, visitor],
    )) as (WebChatAddress & { refused: boolean })[];
    return row ?? null;
  }

  /** The site's token names the address. A visitor who turned it off keeps it off, until the site names another one. */
  async vouch({ appId, visitor, organizationId }: Owner, email: string, host: string): Promise<void> {
    await this.db.query(
      `INSERT INTO gateway.web_chat_address AS a (app_id, visitor, organization_id, email, verified_by, thread_id)
       VALUES ($1, $2, $3, $4, 'site', $5)
       ON CONFLICT (app_id, visitor) DO UPDATE SET email = excluded.email, verified_by = 'site', code_hash = NULL,
         off_at = CASE WHEN a.email = excluded.email THEN a.off_at END, updated_at = now(),
         thread_id = CASE WHEN a.email = excluded.email THEN a.thread_id ELSE excluded.thread_id END
        WHERE a.email <> excluded.email OR a.verified_by IS DISTINCT FROM 'site'
           OR a.updated_at < now() - interval '1 day'`,
      [appId, visitor, organizationId, email, newThread(host)],
    );
  }

  /** A visitor names an address. Until its code comes back, nothing else goes there. */
  async ask(
    tx: Transaction,
    { appId, visitor, organizationId }: Owner,
    given: { email: string; codeHash: string; codeMs: number; host: string },
  ): Promise<void> {
    await tx.query(
      `INSERT INTO gateway.web_chat_address (app_id, visitor, organization_id, email, code_hash, code_until, thread_id)
       VALUES ($1, $2, $3, $4, $5, now() + $6::float8 * interval '1 millisecond', $7)
       ON CONFLICT (app_id, visitor) DO UPDATE SET email = excluded.email, verified_by = NULL, off_at = NULL, code_tries = 0,
         code_hash = excluded.code_hash, code_until = excluded.code_until, thread_id = excluded.thread_id, updated_at = now()`,
      [appId, visitor, organizationId, given.email, given.codeHash, given.codeMs, newThread(given.host)],
    );
  }

  /** Counts the try before it compares. @returns whether the address is verified by it */
  async confirm({ appId, visitor }: Conversing, codeHash: string): Promise<boolean> {
    const rows = (await this.db.query(
      `WITH tried AS (UPDATE gateway.web_chat_address SET code_tries = code_tries + 1,
           verified_by = CASE WHEN code_hash = $3 THEN 'code' END, updated_at = now(),
           code_hash = CASE WHEN code_hash = $3 THEN NULL ELSE code_hash END
         WHERE app_id = $1 AND visitor = $2 AND verified_by IS NULL AND code_hash IS NOT NULL AND code_until > now()
           AND code_tries < ${codeTries} RETURNING verified_by)
       SELECT verified_by FROM tried`,
      [appId, visitor, codeHash],
    )) as { verified_by: string | null }[];
    return rows[0]?.verified_by === 'code';
  }

  async turn({ appId, visitor }: Conversing, on: boolean): Promise<void> {
    await this.db.query(
      `UPDATE gateway.web_chat_address SET off_at = CASE WHEN $3 THEN NULL ELSE coalesce(off_at, now()) END,
         updated_at = now() WHERE app_id = $1 AND visitor = $2`,
      [appId, visitor, on],
    );
  }

  /** The token of the link by which an address is written to no more; null: that was used. */
  async tokenFor(tx: Transaction, appId: string, email: string): Promise<string | null> {
    const [row] = (await tx.query(
      `INSERT INTO gateway.web_chat_recipient AS r (app_id, email, token) VALUES ($1, $2, $3)
       ON CONFLICT (app_id, email) DO UPDATE SET updated_at = now() RETURNING token, off_at`,
      [appId, email, newToken()],
    )) as { token: string; off_at: Date | null }[];
    return row && row.off_at === null ? row.token : null;
  }

  async recipient(token: string): Promise<{ email: string; off: boolean } | null> {
    const [row] = (await this.db.query(
      'SELECT email, off_at IS NOT NULL AS off FROM gateway.web_chat_recipient WHERE token = $1',
      [token],
    )) as { email: string; off: boolean }[];
    return row ?? null;
  }

  /** @returns the address; null: no link has this token */
  async refuse(token: string, off: boolean): Promise<string | null> {
    const rows = (await this.db.query(
      `WITH r AS (UPDATE gateway.web_chat_recipient SET updated_at = now(),
           off_at = CASE WHEN $2 THEN coalesce(off_at, now()) END WHERE token = $1 RETURNING email)
       SELECT email FROM r`,
      [token, off],
    )) as { email: string }[];
    return rows[0]?.email ?? null;
  }

  /**
   * Whose conversation a mail continues: it is in the thread of a verified address, or answers a mail that went there.
   * @param ids Message-IDs that it answers
   */
  async answered(mailAppId: string, organizationId: string, email: string, ids: string[]): Promise<Answered | null> {
    const [row] = (await this.db.query(
      `SELECT a.app_id AS "appId", a.visitor, s.organization_id, s.project_id FROM gateway.web_chat_address a
         JOIN gateway.web_chat_mail_setting s ON s.app_id = a.app_id AND s.mail_app_id = $1
        WHERE a.organization_id = $2 AND a.email = $3 AND a.verified_by IS NOT NULL
          AND (a.thread_id = ANY($4) OR EXISTS (SELECT FROM gateway.delivery d
            JOIN gateway.web_chat_mail m ON m.delivery_id = d.id AND m.kind = 'answer'
           WHERE d.app_id = $1 AND d.provider_message_id = ANY($4) AND d.provider_message_id <> d.id AND m.app_id = a.app_id AND m.visitor = a.visitor))
        LIMIT 1`,
      [mailAppId, organizationId, email, ids],
    )) as Answered[];
    return row ?? null;
  }

  /** Addresses of conversations that are no longer kept. What an address has refused stays. */
  async removeOld(days: number, limit: number): Promise<number> {
    const rows = (await this.db.query(
      `WITH old AS (DELETE FROM gateway.web_chat_address WHERE ctid = ANY (ARRAY(
           SELECT a.ctid FROM gateway.web_chat_address a WHERE updated_at < now() - make_interval(days => $1)
              AND NOT EXISTS (SELECT FROM gateway.web_chat_conversation c WHERE c.app_id = a.app_id AND c.visitor = a.visitor)
            LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING 1),
       unused AS (DELETE FROM gateway.web_chat_recipient WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM gateway.web_chat_recipient WHERE off_at IS NULL AND updated_at < now() - make_interval(days => $1)
            LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING 1)
       SELECT ((SELECT count(*) FROM old) + (SELECT count(*) FROM unused))::integer AS n`,
      [days, limit],
    )) as { n: number }[];
    return rows[0]?.n ?? 0;
  }
}

/** A conversation that a mail continues. */
export interface Answered extends Conversing {
  organization_id: string;
  project_id: string;
}

/** 192 random bits, so that no mail is in this thread whose sender has not been sent one of it. */
const newThread = (host: string): string => `<chat.${newToken()}@${host}>`;
