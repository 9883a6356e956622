import type { ProjectScope } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

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
    const rows = (await db.query(
      `SELECT DISTINCT ON (receipt_id) receipt_id, message ->> 'event_type' AS event_type, message ->> 'sender' AS sender,
              left(message ->> 'message', $7) AS text
         FROM router.message
        WHERE receipt_id = ANY($1) AND organization_id = $2 AND project_id = $3
          AND ($4::text IS NULL OR message ->> 'event_type' = $4) AND ($5::text IS NULL OR message ->> 'sender' = $5)
          AND ($8::text IS NULL OR contact_id = $8) AND ($6::text IS NULL OR position(lower($6) IN lower(message ->> 'message')) > 0)
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
    )) as ({ receipt_id: string } & MessageFacts)[];
    return new Map(rows.map(({ receipt_id, ...facts }) => [receipt_id, facts]));
  }
}
