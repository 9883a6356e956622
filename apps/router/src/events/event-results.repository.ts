import { Database } from '#libs/database';
import { latestEntries } from '#libs/journal';
import { Inject, Injectable } from '@nestjs/common';
import { type EventResult, eventResult, type EventTurn } from './event-result.js';
import type { Scope } from './replayer.js';

/** A turn, and the event it answers: another than its own, where it was collected into another turn. */
type Row = EventTurn & { event_id: string };

/** What became of events: by the rows of their turns, and by the journal for what turns wait for and replies arrive. */
@Injectable()
export class EventResultsRepository {
  constructor(@Inject(Database) private readonly db: Database) {}

  /** @returns results by event; none for an event without turns */
  async of(scope: Scope, receiptIds: string[]): Promise<Map<string, EventResult>> {
    if (receiptIds.length === 0) return new Map();
    const turns = (await this.db.query(
      `SELECT t.receipt_id AS event_id, a.id, a.receipt_id, a.run_id, a.state, a.error, a.reply, a.reason
         FROM router.turn t JOIN router.turn a ON a.id = coalesce(t.collected_into, t.id)
        WHERE t.receipt_id = ANY($1) AND t.organization_id = $2 AND t.project_id = $3`,
      [receiptIds, scope.organizationId, scope.projectId],
    )) as Row[];
    const told = [...new Set(turns.map((turn) => turn.receipt_id))];
    const latest = Map.groupBy(await latestEntries(this.db, scope, told), (entry) => entry.receipt_id);
    const ofEvents = [...Map.groupBy(latestTurns(turns), (turn) => turn.event_id)];
    return new Map(
      ofEvents.map(([event, own]) => [
        event,
        eventResult(
          own,
          own.flatMap((turn) => latest.get(turn.receipt_id) ?? []),
        ),
      ]),
    );
  }
}

/** A run that was retried has another turn since: what became of the ones before does not count. */
function latestTurns(turns: Row[]): Row[] {
  const last = new Map<string, string>();
  for (const { run_id, id } of turns) if (run_id !== null && id > (last.get(run_id) ?? '')) last.set(run_id, id);
  return turns.filter(({ run_id, id }) => run_id === null || last.get(run_id) === id);
}
