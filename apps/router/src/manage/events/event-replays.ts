import type { TimelineEntry } from '#libs/journal';
import type { RunRow } from '#libs/views';
import type { EventTurnLink } from '../../path/handover/engine-runs.js';

/** A turn that a person asked for again. */
export interface EventReplay {
  turn_id: string;
  /** The turn that did the same at first; null: none did. */
  original_turn_id: string | null;
  by: string;
  /** Whether it may send and change something. */
  deliver: boolean;
  at: Date;
}

/** What an event led to, oldest first. */
interface Led {
  turns: EventTurnLink[];
  runs: Pick<RunRow, 'id' | 'workflow_id' | 'replay_of'>[];
}

const reasons = ['with_delivery', 'without_delivery'];

/** @param entries of one event, oldest first */
export function replaysOf(entries: TimelineEntry[], led: Led): EventReplay[] {
  const asked = entries
    .filter(({ outcome, reason }) => outcome === 'replayed' && reasons.includes(reason ?? ''))
    .flatMap((entry) => turnIdsOf(entry).map((turnId) => ({ turnId, entry })));
  const repeated = new Set(asked.map(({ turnId }) => turnId));
  const first = led.turns.filter(({ id }) => !repeated.has(id));
  return asked.flatMap(({ turnId, entry: { at, reason, detail } }) => {
    const turn = led.turns.find(({ id }) => id === turnId);
    if (!turn) return [];
    const original = originalOf(turn, first, led);
    const by = String(detail?.['by']);
    return [{ turn_id: turnId, original_turn_id: original?.id ?? null, by, deliver: reason === reasons[0], at }];
  });
}

/** Entries of an earlier release do not name the turns. */
function turnIdsOf({ detail }: TimelineEntry): string[] {
  const ids = detail?.['turn_ids'];
  return Array.isArray(ids) ? ids.map(String) : [];
}

/** The run that it repeats, else what the same workflow or the conversation did with the message, else anything. */
function originalOf(turn: EventTurnLink, first: EventTurnLink[], { runs }: Led): EventTurnLink | undefined {
  const workflowOf = ({ run_id: id }: EventTurnLink) => runs.find((run) => run.id === id)?.workflow_id ?? null;
  const runId = runs.find(({ id }) => id === turn.run_id)?.replay_of ?? null;
  const ofMessage = first.filter(({ message_id: id }) => id === turn.message_id);
  return (
    (runId === null ? undefined : ofMessage.findLast(({ run_id: id }) => id === runId)) ??
    ofMessage.find((one) => workflowOf(one) === workflowOf(turn)) ??
    ofMessage[0]
  );
}
