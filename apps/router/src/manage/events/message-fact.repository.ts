import type { NormalizedMessage, ProjectScope } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { type Packed, shown } from '../../entities/message.entity.js';

/** What a list shows about an event's first message. */
export interface MessageFacts {
  event_type: string;
  sender: string;
  /** The beginning of the text. */
  text: string;
}

export interface MessageFilter {
  eventType: string | null;
  sender: string | null;
  contactId: string | null;
  text: string | null;
}

const none: MessageFilter = { eventType: null, sender: null, contactId: null, text: null };
const shownChars = 200;
/** Of packed messages that one statement reads: events have a thousand each, and messages are routed in this process. */
const page = { rows: 500, bytes: 1_048_576 };
/** Others get their turn after that. */
const atATimeMs = 5;

type Found = Packed<{ receipt_id: string; id: string; message: NormalizedMessage }>;
/** `matching`: how many rows the page would have if it were not cut by its bytes. */
type Row = Found & { matching: number };

@Injectable()
export class MessageFactRepository {
  constructor(private readonly db: DataSource) {}

  /** The first message of each of these receipts that matches the filter, by receipt. */
  async of(
    scope: ProjectScope,
    receiptIds: string[],
    filter: MessageFilter = none,
    db: Queryable = this.db,
  ): Promise<Map<string, MessageFacts>> {
    const found = new Map<string, MessageFacts>();
    let left = receiptIds;
    let last: Pick<Row, 'receipt_id' | 'id'> | undefined;
    while (left.length > 0) {
      const rows = await readPage(db, scope, left, filter, last);
      await addFirst(found, rows, filter.text === null ? null : folded(filter.text));
      last = rows.at(-1);
      if (!last || (rows.length < page.rows && rows.length === rows[0]?.matching)) break;
      left = left.filter((id) => !found.has(id));
    }
    return found;
  }
}

/**
 * Of one that is not packed, only what is shown comes here. The text of a packed one is compared here.
 * @param after the last row of the page before
 */
async function readPage(
  db: Queryable,
  scope: ProjectScope,
  receiptIds: string[],
  filter: MessageFilter,
  after: Pick<Row, 'receipt_id' | 'id'> | undefined,
): Promise<Row[]> {
  return (await db.query(
    `SELECT receipt_id, id, packed, message, matching::integer
       FROM (SELECT *, count(*) OVER () AS matching,
                    sum(octet_length(packed)) OVER (ORDER BY receipt_id, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
               FROM (SELECT ${filter.text === null ? 'DISTINCT ON (receipt_id)' : ''} receipt_id, id, packed,
                            CASE WHEN packed IS NULL THEN jsonb_build_object('event_type', message -> 'event_type',
                              'sender', message -> 'sender', 'message', left(message ->> 'message', $7)) ELSE message END AS message
                       FROM router.message
                      WHERE receipt_id = ANY($1) AND organization_id = $2 AND project_id = $3 AND (receipt_id, id) > ($9, $10)
                        AND ($4::text IS NULL OR message ->> 'event_type' = $4) AND ($5::text IS NULL OR message ->> 'sender' = $5)
                        AND ($8::text IS NULL OR contact_id = $8)
                        AND ($6::text IS NULL OR packed IS NOT NULL
                             OR position(${foldedSql('$6')} IN ${foldedSql("message ->> 'message'")}) > 0)
                      ORDER BY receipt_id, id LIMIT $11) AS rows) AS rows
      WHERE before IS NULL OR before < $12 ORDER BY receipt_id, id`,
    [
      receiptIds,
      scope.organizationId,
      scope.projectId,
      filter.eventType,
      filter.sender,
      filter.text,
      shownChars,
      filter.contactId,
      after?.receipt_id ?? '',
      after?.id ?? '',
      page.rows,
      page.bytes,
    ],
  )) as Row[];
}

/** @param text folded, which those that are packed have to have; null: anything */
async function addFirst(found: Map<string, MessageFacts>, rows: Found[], text: string | null): Promise<void> {
  let sinceMs = performance.now();
  for (const row of rows) {
    if (found.has(row.receipt_id)) continue;
    if (performance.now() - sinceMs > atATimeMs) {
      await setImmediate();
      sinceMs = performance.now();
    }
    const { message } = shown(row);
    if (row.packed !== null && text !== null && !folded(message.message).includes(text)) continue;
    const { event_type, sender, message: whole } = message;
    found.set(row.receipt_id, { event_type, sender, text: beginningOf(whole) });
  }
}

/** In lower case, whose final sigma is a letter of its own for JavaScript and not for Postgres. */
const folded = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');
const foldedSql = (text: string): string => `replace(lower(${text}), 'ς', 'σ')`;

/** Characters as Postgres counts them: none is cut in two. */
function beginningOf(text: string): string {
  return Array.from(text.slice(0, 2 * shownChars))
    .slice(0, shownChars)
    .join('');
}
