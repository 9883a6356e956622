import { limitNotice, type TurnInput, type TurnRunPayload } from '#libs/contracts';
import { Database, type Queryable } from '#libs/database';
import { Journal, type JournalSubject } from '#libs/journal';
import { Injectable } from '@nestjs/common';
import { ReplyRepository } from '../replies/reply.repository.js';
import { lockSessions, type Started, startNext } from './start-next.js';
import type { Turn } from '../entities/turn.entity.js';
import { TurnRepository } from './turn.repository.js';
import { entryOf } from './turn-enqueuer.js';
import { spentIn } from './turn-limits.js';

/** For people. */
const sentToday = 'The contact was informed today that the budget is used up, so no further notice is sent.';

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
      const text = textOf(turn.input ?? {}, code, message);
      const notice = text ? await this.noticeOf(tx, turn, code) : 'none';
      const detail = { error: message.slice(0, 500), ...(notice === 'sent_today' ? { notice: sentToday } : {}) };
      await this.journal.appendIn(tx, entryOf(turn, 'dead', code, detail));
      if (text && notice === 'due') await this.replies.addNotice(tx, turn, text);
      return { turn, started: await startNext(tx, sessions) };
    });
  }

  /** A contact whose day is spent is informed once a day, however much it writes. */
  private async noticeOf(tx: Queryable, turn: Turn, code: string): Promise<'none' | 'due' | 'sent_today'> {
    const { reply, contact_id: contact } = turn.input ?? {};
    if (!reply || reply.channel_address === null || turn.notice_id !== null) return 'none';
    if (code !== 'day_budget_spent' || !contact) return 'due';
    return (await this.replies.addBudgetNotice(tx, turn, contact)) ? 'due' : 'sent_today';
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

/** What the sender is told of the failure, in the channel's words. */
function textOf(input: Partial<TurnInput>, code: string, message: string): string | null | undefined {
  const spent = code === 'day_budget_spent' ? spentIn(message) : null;
  if (!spent || input.limit_words === undefined) return input.failure_notice;
  return input.limit_words === null ? null : limitNotice(input.limit_words, spent).text;
}

function isSubject(subject: Partial<JournalSubject>): subject is JournalSubject {
  return Object.values(subject).every((value) => typeof value === 'string');
}
