import type { TurnRunPayload } from '#libs/contracts';
import { Database } from '#libs/database';
import { Journal, type JournalSubject } from '#libs/journal';
import { Inject, Injectable } from '@nestjs/common';
import { ReplyRepository } from '../replies/reply.repository.js';
import type { Turn } from './turn.entity.js';
import { type FailedTurn, TurnRepository } from './turn.repository.js';

/** Turns that failed for good: each is a dead letter, and its sender is told where that is wanted. */
@Injectable()
export class TurnFailures {
  constructor(
    @Inject(Database) private readonly db: Database,
    @Inject(TurnRepository) private readonly turns: TurnRepository,
    @Inject(ReplyRepository) private readonly replies: ReplyRepository,
    @Inject(Journal) private readonly journal: Journal,
  ) {}

  /** Ends the turn, its timeline and what its sender is told in one transaction: none of them is there without the others. */
  end(payload: TurnRunPayload, code: string, message: string): Promise<FailedTurn | null> {
    return this.db.transaction(async (tx) => {
      const failed = await this.turns.fail(tx, payload, code);
      if (!failed?.now) return failed;
      const turn = failed.now;
      await this.journal.appendIn(tx, {
        ...subjectOf(turn),
        stage: 'turn',
        outcome: 'dead',
        reason: code,
        subject_id: turn.id,
        attempt: turn.attempt,
        detail: { error: message.slice(0, 500) },
      });
      const { reply, failure_notice: text } = turn.input ?? {};
      if (text && reply && reply.channel_address !== null) {
        await this.replies.addNotice(tx, turn.id);
      }
      return failed;
    });
  }

  /** Tells of a turn that can have no row, as far as its job says whose it was. */
  async tellRefused(given: Partial<TurnRunPayload> & { turn_id: string }, code: string): Promise<void> {
    const { receipt_id, organization_id, project_id, app_id } = given;
    const subject = { receipt_id, organization_id, project_id, app_id };
    if (!isSubject(subject)) return;
    const detail = { error: 'the job of the turn cannot be read' };
    const entry = {
      ...subject,
      stage: 'turn',
      outcome: 'dead',
      reason: code,
      subject_id: given.turn_id,
      detail,
    } as const;
    await this.journal.appendNow(entry);
  }
}

function subjectOf({ receipt_id, organization_id, project_id, app_id }: Turn): JournalSubject {
  return { receipt_id, organization_id, project_id, app_id };
}

function isSubject(subject: Partial<JournalSubject>): subject is JournalSubject {
  return Object.values(subject).every((value) => typeof value === 'string');
}
