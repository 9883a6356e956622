import type { TurnRunPayload } from '#libs/contracts';
import { Database } from '#libs/database';
import { Journal, type JournalSubject } from '#libs/journal';
import { Injectable } from '@nestjs/common';
import { ReplyRepository } from '../replies/reply.repository.js';
import { lockSessions, type Started, startNext } from './start-next.js';
import type { Turn } from '../entities/turn.entity.js';
import { TurnRepository } from './turn.repository.js';
import { entryOf } from './turn-entry.js';

/** Turns that failed for good. Each becomes a dead letter, and its sender is notified where that is configured. */
@Injectable()
export class TurnFailureService {
  constructor(
    private readonly db: Database,
    private readonly turns: TurnRepository,
    private readonly replies: ReplyRepository,
    private readonly journal: Journal,
  ) {}

  /**
   * Ends the turn with its timeline entry and failure notice, and starts the session's next turn, in one transaction.
   * @returns the turn and what was started; null when it had already ended or another process works on it
   */
  async end(payload: TurnRunPayload, code: string, message: string): Promise<{ turn: Turn; started: Started } | null> {
    const known = await this.turns.byId(payload.turn_id);
    const sessions = known?.session_id ? [known.session_id] : [];
    return this.db.transaction(async (tx) => {
      await lockSessions(tx, sessions);
      const turn = await this.turns.fail(tx, payload, code);
      if (!turn) return null;
      const detail = { error: message.slice(0, 500) };
      await this.journal.appendIn(tx, entryOf(turn, 'dead', code, detail));
      const { reply, failure_notice: text } = turn.input ?? {};
      if (text && reply && reply.channel_address !== null) await this.replies.addNotice(tx, turn.id);
      return { turn, started: await startNext(tx, sessions) };
    });
  }

  /** Reports a turn that can have no row, as far as its job says whose it was. */
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

function isSubject(subject: Partial<JournalSubject>): subject is JournalSubject {
  return Object.values(subject).every((value) => typeof value === 'string');
}
