import { Database } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import type { Scope } from './replayer.js';

export interface EventContact {
  id: string;
  name: string;
  status: string;
}

export interface EventTurnLink {
  id: string;
  state: string;
  run_id: string | null;
  session_id: string | null;
  collected_into: string | null;
}

/** What an event leads to besides its messages and runs. */
@Injectable()
export class EventLinksRepository {
  constructor(@Inject(Database) private readonly db: Database) {}

  /** Whoever wrote the event's messages, as they are now. */
  async contacts({ organizationId, projectId }: Scope, receiptId: string): Promise<EventContact[]> {
    return (await this.db.query(
      `SELECT id, name, status FROM router.contact
        WHERE organization_id = $1 AND project_id = $2
          AND id IN (SELECT contact_id FROM router.message WHERE receipt_id = $3) ORDER BY id`,
      [organizationId, projectId, receiptId],
    )) as EventContact[];
  }

  /** The event's turns, those of sessions among them; oldest first. */
  async turns({ organizationId, projectId }: Scope, receiptId: string): Promise<EventTurnLink[]> {
    return (await this.db.query(
      `SELECT id, state, run_id, session_id, collected_into FROM router.turn
        WHERE receipt_id = $1 AND organization_id = $2 AND project_id = $3 ORDER BY id`,
      [receiptId, organizationId, projectId],
    )) as EventTurnLink[];
  }
}
