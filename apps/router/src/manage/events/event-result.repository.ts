import type { ProjectScope } from '#libs/contracts';
import { Database, type Queryable } from '#libs/database';
import { type EventResult, eventResult, type EventTurn, latestEntries, type LatestEntry } from '#libs/journal';
import { Injectable } from '@nestjs/common';

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
  async contacts({ organizationId, projectId }: ProjectScope, receiptId: string): Promise<EventContact[]> {
    return (await this.db.query(
      `SELECT id, name, status FROM router.contact
        WHERE organization_id = $1 AND project_id = $2
          AND id IN (SELECT contact_id FROM router.message WHERE receipt_id = $3) ORDER BY id`,
      [organizationId, projectId, receiptId],
    )) as EventContact[];
  }
}

type LatestByTurn = Map<string, LatestEntry>;

/** The results of events, from their messages' turns and the journal's entries about turns and replies. */
@Injectable()
export class EventResultRepository {
  constructor(private readonly db: Database) {}

  /** @returns results by event; none for an event without turns */
  async of(scope: ProjectScope, receiptIds: string[], db: Queryable = this.db): Promise<Map<string, EventResult>> {
    if (receiptIds.length === 0) return new Map();
    const named = (await db.query(
      `SELECT m.receipt_id, t ->> 'turn_id' AS id FROM router.message m CROSS JOIN LATERAL jsonb_array_elements(m.turns) AS t
        WHERE m.receipt_id = ANY($1) AND m.organization_id = $2 AND m.project_id = $3`,
      [receiptIds, scope.organizationId, scope.projectId],
    )) as { receipt_id: string; id: string }[];
    const own = await latestEntries(db, scope, receiptIds);
    // An event answered together with another event's message has its entries there.
    const elsewhere = own.flatMap((entry) => textOf(entry.detail, 'event') ?? []);
    const others = elsewhere.filter((id) => !receiptIds.includes(id));
    const latest = [...own, ...(await latestEntries(db, scope, others))];
    const turns: LatestByTurn = new Map(
      latest.flatMap((each) => (each.stage === 'turn' ? [[each.subject_id, each]] : [])),
    );
    const recorded = own.flatMap((each) =>
      each.stage === 'turn' ? [{ receipt_id: each.receipt_id, id: each.subject_id }] : [],
    );
    const ofEvents = Map.groupBy([...named, ...recorded], ({ receipt_id }) => receipt_id);
    return new Map(
      [...ofEvents].map(([event, all]) => {
        const ids = [...new Set(all.map(({ id }) => answering(id, turns)))];
        const answered = ids.map((id): EventTurn => ({ id, last: turns.get(id) ?? null }));
        return [event, eventResult(answered, latest)];
      }),
    );
  }
}

/** The turn that answers it: another one when it was collected, or when its run was retried. */
function answering(id: string, turns: LatestByTurn): string {
  const last = turns.get(id);
  const into = last?.outcome === 'ok' ? textOf(last.detail, 'into') : null;
  return into === null || into === id ? id : answering(into, turns);
}

function textOf(detail: Record<string, unknown> | null, field: string): string | null {
  const value = detail?.[field];
  return typeof value === 'string' ? value : null;
}
