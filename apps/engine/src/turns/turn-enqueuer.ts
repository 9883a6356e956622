import { turnRun, type TurnRunPayload } from '#libs/contracts';
import { Journal, type JournalEntry } from '#libs/journal';
import { JobClient } from '#libs/queue';
import { Injectable } from '@nestjs/common';
import type { Started } from './start-next.js';
import type { Turn } from '../entities/turn.entity.js';

/** Enqueues stored turns. A sweep covers jobs that Redis does not accept. */
@Injectable()
export class TurnEnqueuer {
  constructor(
    private readonly jobs: JobClient,
    private readonly journal: Journal,
  ) {}

  enqueue(turns: Turn[]): void {
    for (const turn of turns) void this.jobs.enqueue(turnRun, turnJobOf(turn));
  }

  /**
   * Enqueues turns that a session has started. Their timelines, and those of the turns that they answer too, show that
   * the wait is over.
   */
  go({ turns, collected }: Started): void {
    for (const turn of turns) this.journal.append(entryOf(turn, 'running', 'started', null));
    for (const turn of collected) {
      const into = turns.find(({ id }) => id === turn.collected_into);
      this.journal.append(entryOf(turn, 'ok', 'collected', { into: into?.id, event: into?.receipt_id }));
    }
    this.enqueue(turns);
  }

  /** A person handled what waited. */
  handled(turns: Turn[], by: string): void {
    for (const turn of turns) this.journal.append(entryOf(turn, 'succeeded', 'handled_by_person', { by }));
  }

  /** The run of a turn continues in another turn. */
  retried(turn: Turn, into: Turn): void {
    this.journal.append(entryOf(turn, 'ok', 'retried', { into: into.id, event: into.receipt_id }));
  }

  cancelled(turns: Turn[], reason: 'cancelled' | 'discarded'): void {
    for (const turn of turns) this.journal.append(entryOf(turn, 'failed', reason, null));
  }
}

/** The job of a stored turn. */
export function turnJobOf(turn: Turn): TurnRunPayload {
  const { id, organization_id, project_id, app_id, receipt_id, agent_id, claim } = turn;
  return { turn_id: id, organization_id, project_id, app_id, receipt_id, agent_id, claims: claim };
}

/** A timeline entry for a stored turn. */
export function entryOf(
  { id, receipt_id, organization_id, project_id, app_id, claim }: Turn,
  outcome: JournalEntry['outcome'],
  reason: string | null,
  detail: Record<string, unknown> | null,
): JournalEntry {
  const subject = { receipt_id, organization_id, project_id, app_id, subject_id: id };
  return { ...subject, stage: 'turn', outcome, reason, attempt: Math.max(1, claim), detail };
}
