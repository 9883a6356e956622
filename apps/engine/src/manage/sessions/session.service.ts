import { holds, notFound, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import type { SessionSummary } from '../../entities/compaction.entity.js';
import { TurnCancellation } from '../turns/turn-cancellation.service.js';
import { TurnEnqueuer } from '../../path/turns/start-next.js';
import { InboxRepository, type SessionNote } from './inbox.repository.js';
import { type SessionMark, SessionRepository, type SessionRow } from './session.repository.js';
import { SummaryRepository } from './summary.repository.js';

/** A summary as people read it. */
export type ReadSummary = Omit<SessionSummary, 'session_id' | 'organization_id' | 'project_id' | 'revision'>;
export type SessionDetail = SessionRow & { marks: SessionMark[]; summary: ReadSummary | null; notes: SessionNote[] };

/** What people can do with sessions. */
@Injectable()
export class SessionService {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly summaries: SummaryRepository,
    private readonly inbox: InboxRepository,
    private readonly cancellation: TurnCancellation,
    private readonly enqueuer: TurnEnqueuer,
  ) {}

  /** @throws Problem 404 */
  async get(caller: Principal, id: string): Promise<SessionDetail> {
    const row = await this.sessions.find(caller.organizationId, caller.projectId, id);
    if (!row) throw notFound('session', id);
    const mayRead = holds(caller.scopes, 'events:read');
    const [marks, summary, notes] = await Promise.all([
      this.sessions.marks(id),
      mayRead ? this.summaries.find(id) : null,
      mayRead ? this.inbox.notes(id) : [],
    ]);
    return { ...row, marks, summary: summary && readable(summary), notes };
  }

  /** Later turns are shown this text. It stays as trusted as what it was made from. @throws Problem 404 */
  async correctSummary(caller: Principal, id: string, text: string): Promise<ReadSummary> {
    await this.get(caller, id);
    const changed = await this.summaries.correct(caller, id, text);
    const summary = changed ? await this.summaries.find(id) : null;
    if (!summary)
      throw new Problem(404, 'summary_not_found', `The session ${id} has no summary yet: all of its turns are shown.`);
    return readable(summary);
  }

  /** Starts no more turns here and cancels the one in flight. @throws Problem 404; 409 `session_taken_over` */
  async takeOver(caller: Principal, id: string): Promise<SessionDetail> {
    await this.get(caller, id);
    const cancelled = await this.sessions.takeOver(id, caller.subject);
    if (cancelled === undefined)
      throw new Problem(409, 'session_taken_over', `The session ${id} is closed, or somebody has taken it over.`);
    if (cancelled) this.cancellation.announce(cancelled);
    return this.get(caller, id);
  }

  /**
   * @param answerWaiting true: the agent answers what arrived during the takeover; false: the person has handled it
   * @throws Problem 404; 409 `session_not_taken_over`
   */
  async handBack(caller: Principal, id: string, answerWaiting: boolean): Promise<SessionDetail> {
    await this.get(caller, id);
    const back = await this.sessions.handBack(id, caller.subject, answerWaiting);
    if (!back) throw new Problem(409, 'session_not_taken_over', `Nobody has taken the session ${id} over.`);
    this.enqueuer.handled(back.handled, caller.subject);
    this.enqueuer.go(back.started);
    return this.get(caller, id);
  }

  /** Marks a session as done; the next message reopens it. @throws Problem 404; 409 `session_not_active` */
  async resolve(caller: Principal, id: string): Promise<SessionDetail> {
    return this.move(caller, id, 'active', 'resolved', 'resolve');
  }

  /** @throws Problem 404; 409 `session_not_resolved` */
  async reopen(caller: Principal, id: string): Promise<SessionDetail> {
    return this.move(caller, id, 'resolved', 'active', 'reopen');
  }

  /** Cancels the running turn and starts the next waiting message. @throws Problem 404; 409 `no_turn_under_way` */
  async cancelTurn(caller: Principal, id: string): Promise<{ turn_id: string }> {
    await this.get(caller, id);
    const done = await this.sessions.cancelTurn(id);
    if (!done) throw new Problem(409, 'no_turn_under_way', `No turn of the session ${id} is in progress.`);
    this.cancellation.announce(done.cancelled);
    this.enqueuer.go(done.started);
    return { turn_id: done.cancelled.id };
  }

  private async move(
    caller: Principal,
    id: string,
    from: 'active' | 'resolved',
    to: 'active' | 'resolved',
    kind: 'resolve' | 'reopen',
  ): Promise<SessionDetail> {
    const { status } = await this.get(caller, id);
    if (!(await this.sessions.move(id, [from], to, kind, caller.subject))) {
      throw new Problem(409, `session_not_${from}`, `The session ${id} is ${status}, not ${from}.`);
    }
    return this.get(caller, id);
  }
}

function readable(summary: SessionSummary): ReadSummary {
  const { text, turns, through_turn_id, content_trust, model, made_at, corrected_by, corrected_at } = summary;
  return { text, turns, through_turn_id, content_trust, model, made_at, corrected_by, corrected_at };
}
