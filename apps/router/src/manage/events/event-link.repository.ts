import { Database } from '#libs/database';
import { Injectable } from '@nestjs/common';
import type { Scope } from './replayer.js';

export interface EventContact {
  id: string;
  name: string;
  status: string;
}

/** What an event is linked to. */
@Injectable()
export class EventLinkRepository {
  constructor(private readonly db: Database) {}

  /** The authors of the event's messages, as they are now. */
  async contacts({ organizationId, projectId }: Scope, receiptId: string): Promise<EventContact[]> {
    return (await this.db.query(
      `SELECT id, name, status FROM router.contact
        WHERE organization_id = $1 AND project_id = $2
          AND id IN (SELECT contact_id FROM router.message WHERE receipt_id = $3) ORDER BY id`,
      [organizationId, projectId, receiptId],
    )) as EventContact[];
  }
}
