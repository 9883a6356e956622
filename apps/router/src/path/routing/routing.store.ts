import { messageKey, type ProjectScope } from '#libs/contracts';
import { asynchronousCommit, Database, type Queryable, storableJson } from '#libs/database';
import { entryCtes } from '#libs/journal';
import { Injectable } from '@nestjs/common';
import { type MessageRow, type Packed, type PackedRow, unpacked } from '../../entities/message.entity.js';
import type { SenderContext } from '../senders/senders.js';
import type { Draft } from './draft.js';

/** Who claimed a key earlier. */
export interface Claimed {
  message_id: string;
  receipt_id: string;
}

/** New messages, with the turns that they start. */
export interface NewRows {
  messages: PackedRow[];
  /** Journal entries, each with its message: those that lie in no message's row. */
  entries: Record<string, unknown>[];
}

/** Which kept messages are to be released, and by whom. */
export interface Release extends ProjectScope {
  messageIds: string[];
  by: string;
}

/** Claims the free keys; `RETURNING` gives the claims that were won. */
const claimSql = `
  INSERT INTO router.claim (key, message_id, receipt_id, claimed_at)
  SELECT *, now() FROM unnest($1::uuid[], $2::text[], $3::text[])
  ON CONFLICT DO NOTHING RETURNING key, message_id, receipt_id`;

// Named explicitly, so that a column added by a later release gets its default when this release writes.
const columns = `id, organization_id, project_id, app_id, receipt_id, verified, message, outcome, reason, verdicts, app_kind,
  contact_id, sanitizer_report, created_at, unlisted_verdicts, app_sends,
  chief_of_staff, reply_withheld, text_from, request, turns, packed, entry`;

// One statement: two would cost another round trip, during which the batch's locks are held.
const insertSql = (first: number, flush: boolean, wins: string): string => `
  message AS (
    INSERT INTO router.message (${columns})
    SELECT ${columns}
      FROM ${flush ? '' : `${asynchronousCommit}, `}jsonb_populate_recordset(NULL::router.message, $${first}::jsonb)
     ${wins} ON CONFLICT DO NOTHING RETURNING id),
  ${entryCtes(first + 1, 'SELECT id FROM message')}`;

const whoeverAsks = (flush: boolean): string => `WITH ${insertSql(1, flush, '')} SELECT`;
const whoeverClaims = (flush: boolean): string => `
  WITH claimed AS (${claimSql}),
  ${insertSql(4, flush, 'WHERE id IN (SELECT message_id FROM claimed)')}
  SELECT key, message_id, receipt_id FROM claimed`;

const [insertFlushed, insertUnflushed] = [whoeverAsks(true), whoeverAsks(false)];
const [claimFlushed, claimUnflushed] = [whoeverClaims(true), whoeverClaims(false)];

const jsonOf = ({ messages, entries }: NewRows): string[] => [messages, entries].map(storableJson);

type ClaimKeys = [keys: string[], messageIds: string[], receiptIds: string[]];
type ClaimRow = Claimed & { key: string };

/** Most held messages of a sender that continue when it pairs; the rest wait to be released. */
const continuedAtMost = 200;

/** The rows of routed messages, in few statements for a batch. */
@Injectable()
export class RoutingStore {
  constructor(private readonly db: Database) {}

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.db.transaction(work);
  }

  /** Claims each draft's dedup key. @returns for each draft null when it won, else who claimed the key earlier */
  claim(tx: Queryable, drafts: Draft[]): Promise<(Claimed | null)[]> {
    return claimed(tx, drafts, (keys) => tx.query(claimSql, keys));
  }

  /**
   * Claims the drafts' keys and inserts the rows of those that won, in one statement.
   * @param durable as in `insert`
   * @returns as `claim`
   */
  claimAndInsert(drafts: Draft[], rows: NewRows, durable: boolean): Promise<(Claimed | null)[]> {
    const sql = durable ? claimFlushed : claimUnflushed;
    const json = jsonOf(rows);
    return claimed(this.db, drafts, (keys) => this.db.query(sql, [...keys, ...json]));
  }

  /** @param durable a caller is answered after the commit, so the rows have to be on disk by then */
  async insert(tx: Queryable, rows: NewRows, durable: boolean): Promise<void> {
    if (rows.messages.length === 0) return;
    await tx.query(durable ? insertFlushed : insertUnflushed, jsonOf(rows));
  }

  /** Marks kept messages as released, each once. @returns those that were kept until now, oldest first */
  async release(tx: Queryable, { messageIds, organizationId, projectId, by }: Release): Promise<MessageRow[]> {
    const result: unknown = await tx.query(
      `UPDATE router.message SET released_at = now(), released_by = $4
        WHERE id = ANY($1) AND organization_id = $2 AND project_id = $3 AND released_at IS NULL
          AND outcome NOT IN ('routed', 'no_match') RETURNING *`,
      [messageIds, organizationId, projectId, by],
    );
    const rows = (result as [Packed<MessageRow>[], number])[0];
    return rows.map(unpacked).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Takes a release back: nothing took the messages. */
  async keep(tx: Queryable, messageIds: string[]): Promise<void> {
    if (messageIds.length === 0) return;
    const sql = 'UPDATE router.message SET released_at = NULL, released_by = NULL WHERE id = ANY($1)';
    await tx.query(sql, [messageIds]);
  }

  /** The held messages of one sender: those of its contact's other identities are not locked here. */
  async heldOf(tx: Queryable, { homeId, appId, sender }: SenderContext): Promise<string[]> {
    const rows = (await tx.query(
      `SELECT id FROM router.message WHERE contact_id = $1 AND outcome = 'held_unknown_sender' AND released_at IS NULL
          AND app_id = $2 AND message ->> 'sender' = $3 ORDER BY id LIMIT $4`,
      [homeId, appId, sender, continuedAtMost],
    )) as { id: string }[];
    return rows.map(({ id }) => id);
  }
}

/** @param claimKeys runs a statement that contains `claimSql`, and returns its rows */
async function claimed(
  db: Queryable,
  drafts: Draft[],
  claimKeys: (parameters: ClaimKeys) => Promise<unknown>,
): Promise<(Claimed | null)[]> {
  const keyed = drafts.map((draft) => ({ draft, key: messageKey(draft.app_id, draft.dedupKey) }));
  // Sorted by key: batches of two routers that claim the same keys in different orders deadlock.
  const sorted = [...keyed].sort((a, b) => (a.key < b.key ? -1 : 1));
  const keys = sorted.map(({ key }) => key);
  const won = (await claimKeys([
    keys,
    sorted.map(({ draft }) => draft.messageId),
    sorted.map(({ draft }) => draft.receipt_id),
  ])) as ClaimRow[];
  const rows =
    won.length === drafts.length
      ? won
      : ((await db.query('SELECT key, message_id, receipt_id FROM router.claim WHERE key = ANY($1::uuid[])', [
          keys,
        ])) as ClaimRow[]);
  const owners = new Map(rows.map((row) => [row.key, row]));
  return keyed.map(({ draft, key }) => {
    const owner = owners.get(key);
    return owner && owner.message_id !== draft.messageId ? owner : null;
  });
}
