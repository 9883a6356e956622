import { AuditLog } from '#libs/audit';
import { columnsOf, type ProjectScope } from '#libs/contracts';
import { Database, Liveness, storableJson, type Transaction } from '#libs/database';
import { lastEntries } from '#libs/journal';
import { RunLater } from '#libs/queue';
import { type Principal, Problem } from '#libs/service-kit';
import { leaveSql, type Settlement, Work } from '#libs/work';
import { Injectable } from '@nestjs/common';
import type { MessageRow } from '../../entities/message.entity.js';
import type { ContactErasure, ErasureReport } from './erasure.entity.js';

const leaseMs = 60_000;
/** After a message that came with the end. */
const retryMs = 1_000;

export type ErasedMessage = Pick<MessageRow, 'id' | 'receipt_id' | 'app_id'>;
export interface KnownSender {
  app_id: string;
  sender: string;
}

/** What stays of a message: ids, times, and what became of it. */
const emptied = `jsonb_build_object('event_type', coalesce(message -> 'event_type', '"message_received"'::jsonb), 'sender', 'erased',
  'message', '', 'is_bot', coalesce(message -> 'is_bot', 'false'::jsonb), 'metadata', jsonb_build_object('erased', $2::jsonb))`;
/** Before senders' own `erased` was left out, a message could have one: the mark counts only in an emptied message. */
const hasWords = (m: string): string => `(${m}.packed IS NOT NULL OR ${m}.message #> '{metadata,erased}' IS NULL
  OR ${m}.message ->> 'message' <> '' OR ${m}.message ->> 'sender' <> 'erased')`;

/** SQL: whether contacts have something to erase. @param contacts the statement's parameter */
const isThere = (
  contacts: string,
): string => `EXISTS (SELECT FROM router.contact_identity WHERE contact_id = ANY(${contacts}))
  OR EXISTS (SELECT FROM router.message m WHERE contact_id = ANY(${contacts}) AND ${hasWords('m')})`;

@Injectable()
export class ErasureRepository {
  readonly work: Work<ContactErasure>;

  constructor(
    private readonly db: Database,
    private readonly audit: AuditLog,
    liveness: Liveness,
  ) {
    const owned = { owner: () => liveness.owner, owners: () => liveness.owners };
    this.work = new Work(db, { table: 'router.contact_erasure', key: 'contact_id', leaseMs, ...owned });
  }

  /**
   * Asks for it, once: one that was asked for stays as it is, one that failed goes on, and one that is done is done once
   * more if there is something again.
   * @throws Problem 409 `contact_merged`
   */
  ask(caller: Principal, contactId: string, family: string[]): Promise<ContactErasure> {
    const { organization_id, project_id } = columnsOf(caller);
    return this.db.transaction(async (tx) => {
      // A merge locks it, too: either it sees the erasure, or this sees the merge.
      const [contact] = (await tx.query('SELECT merged_into FROM router.contact WHERE id = $1 FOR UPDATE', [
        contactId,
      ])) as { merged_into: string | null }[];
      const into = contact?.merged_into ?? null;
      if (into !== null) {
        throw new Problem(409, 'contact_merged', `The contact ${contactId} was merged into ${into}: erase that one.`);
      }
      const asked = (await tx.query(
        `WITH again AS (UPDATE router.contact_erasure SET ${this.work.reopenSql()}, reason = NULL, detail = NULL,
               pass = CASE state WHEN 'done' THEN 1 ELSE pass END, asked_by = CASE state WHEN 'done' THEN $4 ELSE asked_by END,
               asked_at = CASE state WHEN 'done' THEN now() ELSE asked_at END
             WHERE contact_id = $1 AND (state = 'dead' OR state = 'done' AND (${isThere('$5')})) RETURNING contact_id),
         first AS (INSERT INTO router.contact_erasure (contact_id, organization_id, project_id, asked_by)
             VALUES ($1, $2, $3, $4) ON CONFLICT (contact_id) DO NOTHING RETURNING contact_id)
         SELECT contact_id FROM again UNION ALL SELECT contact_id FROM first`,
        [contactId, organization_id, project_id, caller.subject, family],
      )) as unknown[];
      if (asked.length > 0) {
        await this.audit.append(tx, caller, {
          action: 'contact.erased',
          subject: contactId,
          before: null,
          after: null,
        });
      }
      const row = await this.find(tx, contactId);
      if (!row) throw new Error(`the erasure of ${contactId} was not stored`);
      return row;
    });
  }

  async of(contactId: string): Promise<ContactErasure | null> {
    return this.find(this.db, contactId);
  }

  private async find(db: Pick<Transaction, 'query'>, contactId: string): Promise<ContactErasure | null> {
    const rows = (await db.query('SELECT * FROM router.contact_erasure WHERE contact_id = $1', [
      contactId,
    ])) as ContactErasure[];
    return rows[0] ?? null;
  }

  async senders(contactIds: string[]): Promise<KnownSender[]> {
    return (await this.db.query(
      'SELECT app_id, sender FROM router.contact_identity WHERE contact_id = ANY($1) ORDER BY app_id, sender',
      [contactIds],
    )) as KnownSender[];
  }

  /** Messages of these contacts that are not erased yet, oldest first. */
  async messages(contactIds: string[], limit: number): Promise<ErasedMessage[]> {
    return (await this.db.query(
      `SELECT id, receipt_id, app_id FROM router.message m
        WHERE contact_id = ANY($1) AND ${hasWords('m')} ORDER BY id LIMIT $2`,
      [contactIds, limit],
    )) as ErasedMessage[];
  }

  /**
   * The events of the mails in which these messages came: a mail that continued a web chat has no message of its own. What a
   * message says of that counts only where the mail's timeline names the message's event.
   */
  async mailsOf(scope: ProjectScope, messageIds: string[]): Promise<string[]> {
    const named = (await this.db.query(
      `SELECT receipt_id, substring(message #>> '{metadata,message_id}' FROM '^mail-(evt_.+)-[0-9]+$') AS mail
         FROM router.message WHERE id = ANY($1) AND message #>> '{metadata,message_id}' LIKE 'mail-evt%'`,
      [messageIds],
    )) as { receipt_id: string; mail: string | null }[];
    const mails = named.flatMap(({ mail }) => mail ?? []);
    const ends = await lastEntries(this.db, scope, mails);
    return named.flatMap(({ receipt_id: event, mail }) => {
      const end = mail === null ? undefined : ends.get(mail);
      return mail !== null && end?.reason === 'continues_web_chat' && end.detail?.['event_id'] === event ? mail : [];
    });
  }

  /** All messages of these contacts, in the order of their ids. */
  async everyMessage(contactIds: string[], after: string, limit: number): Promise<ErasedMessage[]> {
    return (await this.db.query(
      `SELECT id, receipt_id, app_id FROM router.message WHERE contact_id = ANY($1) AND id > $2 ORDER BY id LIMIT $3`,
      [contactIds, after, limit],
    )) as ErasedMessage[];
  }

  /** Of these events, those in which others have messages, too: some providers put several people into one request. */
  async sharedAmong(receiptIds: string[], contactIds: string[]): Promise<Set<string>> {
    const rows = (await this.db.query(
      `SELECT DISTINCT receipt_id AS id FROM router.message m
        WHERE receipt_id = ANY($1) AND (contact_id IS NULL OR contact_id <> ALL($2)) AND ${hasWords('m')}`,
      [receiptIds, contactIds],
    )) as { id: string }[];
    return new Set(rows.map(({ id }) => id));
  }

  /** The other services have erased theirs. @param write what commits with it */
  async erase(
    row: ContactErasure,
    messages: ErasedMessage[],
    report: ErasureReport,
    write: (tx: Transaction) => Promise<void>,
  ): Promise<void> {
    await this.db.transaction(async (tx) => {
      await tx.query(
        `UPDATE router.message SET message = ${emptied}, request = NULL, packed = NULL, sanitizer_report = NULL, turns = '[]',
                released_at = CASE WHEN outcome IN ('routed', 'no_match') THEN released_at ELSE coalesce(released_at, now()) END,
                released_by = CASE WHEN outcome IN ('routed', 'no_match') THEN released_by ELSE coalesce(released_by, $3) END
          WHERE id = ANY($1)`,
        [messages.map(({ id }) => id), storableJson({ at: new Date().toISOString(), by: row.asked_by }), row.asked_by],
      );
      await this.note(tx, row, report);
      await write(tx);
    });
  }

  /** Adds up what was erased. */
  async add(row: ContactErasure, report: ErasureReport): Promise<void> {
    await this.note(this.db, row, report);
  }

  private async note(tx: Pick<Transaction, 'query'>, row: ContactErasure, report: ErasureReport): Promise<void> {
    for (const [service, counts] of Object.entries(report)) {
      const sum = { ...row.report[service] };
      for (const [kind, count] of Object.entries(counts)) if (count > 0) sum[kind] = (sum[kind] ?? 0) + count;
      row.report[service] = sum;
    }
    await tx.query('UPDATE router.contact_erasure SET report = $2 WHERE contact_id = $1 AND claim = $3', [
      row.contact_id,
      storableJson(row.report),
      row.claim,
    ]);
  }

  /** The first pass is over: the second one begins later. */
  async nextPass(row: ContactErasure, afterMs: number): Promise<void> {
    await this.db.query(
      `UPDATE router.contact_erasure SET pass = pass + 1, state = 'queued', ${leaveSql}, tries = 0, reason = NULL, detail = NULL,
              blocked_since = NULL, due_at = now() + $3::float8 * interval '1 millisecond' WHERE contact_id = $1 AND claim = $2`,
      [row.contact_id, row.claim, afterMs],
    );
  }

  /**
   * Everything else is erased: who the contact was goes last, and with it the erasure ends.
   * @throws RunLater, with nothing written, for a message that came meanwhile
   */
  async end(row: ContactErasure, contactIds: string[]): Promise<void> {
    await this.db.transaction(async (tx) => {
      const gone = (await tx.query(
        `WITH locked AS (SELECT app_id, sender FROM router.contact_identity WHERE contact_id = ANY($1)
            ORDER BY app_id || ' ' || sender COLLATE "C" FOR UPDATE),
         gone AS (DELETE FROM router.contact_identity i USING locked l WHERE i.app_id = l.app_id AND i.sender = l.sender RETURNING 1)
         SELECT count(*)::integer AS identities FROM gone`,
        [contactIds],
      )) as { identities: number }[];
      // Routing holds the identity until its message is stored, so from here no other one becomes theirs.
      const came = (await tx.query(
        `SELECT FROM router.message m WHERE contact_id = ANY($1) AND ${hasWords('m')} LIMIT 1`,
        [contactIds],
      )) as unknown[];
      if (came.length > 0) throw new RunLater(retryMs, 'message_came', 'A message of the contact came meanwhile.');
      await tx.query(
        `UPDATE router.contact SET name = 'Erased contact', status = 'unknown', daily_budget = NULL, reads_as = '{}',
                updated_at = now() WHERE id = ANY($1)`,
        [contactIds],
      );
      await this.note(tx, row, { router: { identities: gone[0]?.identities ?? 0, contacts: contactIds.length } });
      await tx.query(
        `UPDATE router.contact_erasure SET state = 'done', ${leaveSql}, ended_at = now(), reason = NULL, detail = NULL
          WHERE contact_id = $1 AND claim = $2`,
        [row.contact_id, row.claim],
      );
    });
  }

  async settle(settlement: Settlement, detail: string): Promise<void> {
    await this.db.query(this.work.settleSql('$1', { detail: 'text' }), [
      this.work.settled([{ ...settlement, detail }]),
    ]);
  }
}
