import type { NormalizedMessage, ProjectScope } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { type Packed, unpacked } from '../../entities/message.entity.js';

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
/** Packed messages that are read at a stretch: a search goes through hundreds, and messages are routed meanwhile. */
const atATime = 50;

type Found = Packed<{ receipt_id: string; message: NormalizedMessage }>;

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
    if (receiptIds.length === 0) return new Map();
    // Of one that is not packed, only what is shown comes here. The text of a packed one is compared here.
    const rows = (await db.query(
      `SELECT ${filter.text === null ? 'DISTINCT ON (receipt_id)' : ''} receipt_id, packed,
              CASE WHEN packed IS NULL THEN jsonb_build_object('event_type', message -> 'event_type', 'sender', message -> 'sender',
                'message', left(message ->> 'message', $7)) ELSE message END AS message
         FROM router.message
        WHERE receipt_id = ANY($1) AND organization_id = $2 AND project_id = $3
          AND ($4::text IS NULL OR message ->> 'event_type' = $4) AND ($5::text IS NULL OR message ->> 'sender' = $5)
          AND ($8::text IS NULL OR contact_id = $8)
          AND ($6::text IS NULL OR packed IS NOT NULL OR position(lower($6) IN lower(message ->> 'message')) > 0)
        ORDER BY receipt_id, id`,
      [
        receiptIds,
        scope.organizationId,
        scope.projectId,
        filter.eventType,
        filter.sender,
        filter.text,
        shownChars,
        filter.contactId,
      ],
    )) as Found[];
    return firstOf(rows, filter.text?.toLowerCase() ?? null);
  }
}

/** @param text in lower case, which those that are packed have to have; null: anything */
async function firstOf(rows: Found[], text: string | null): Promise<Map<string, MessageFacts>> {
  const found = new Map<string, MessageFacts>();
  for (const [index, row] of rows.entries()) {
    if (index % atATime === atATime - 1) await setImmediate();
    if (found.has(row.receipt_id)) continue;
    const { message } = unpacked<Omit<Found, 'packed'>>(row);
    if (row.packed !== null && text !== null && !message.message.toLowerCase().includes(text)) continue;
    const { event_type, sender, message: whole } = message;
    found.set(row.receipt_id, { event_type, sender, text: beginningOf(whole) });
  }
  return found;
}

/** Characters as Postgres counts them: none is cut in two. */
function beginningOf(text: string): string {
  return Array.from(text.slice(0, 2 * shownChars))
    .slice(0, shownChars)
    .join('');
}
