import { Database } from '#libs/database';
import { type LetterCause, letterCauses } from '#libs/journal';
import { type Principal, Problem as Refusal } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { hash } from 'node:crypto';
import { type RouterSettings, SETTINGS } from '../../env.js';
import { type Cause, type ProblemMark, ProblemMarkRepository } from './problem-mark.repository.js';

export type ProblemState = 'open' | 'regressed' | 'muted' | 'resolved';

/** Dead letters of one cause. */
export interface Problem extends Cause {
  id: string;
  state: ProblemState;
  error: string | null;
  count: number;
  open: number;
  people: number;
  first_seen: Date;
  last_seen: Date;
  last_event_id: string;
  parts: number[];
  muted_until: Date | null;
  marked_by: string | null;
  marked_at: Date | null;
}

const dayMs = 86_400_000;
/** Parts of the time that a list goes back, for its small chart. */
const parts = 28;
const mostCauses = 200;
const order: readonly ProblemState[] = ['regressed', 'open', 'muted', 'resolved'];

/** Groups what failed by its cause, and keeps what people said of it. */
@Injectable()
export class ProblemService {
  constructor(
    private readonly db: Database,
    private readonly marks: ProblemMarkRepository,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {}

  async list(caller: Principal, state: ProblemState | null): Promise<{ data: Problem[]; days: number; cut: boolean }> {
    const { organizationId, projectId } = caller;
    const { PROBLEM_DAYS: days, PROBLEM_SCAN: scan } = this.settings;
    const to = new Date(Date.now() + 1_000);
    const from = new Date(to.getTime() - days * dayMs);
    const [causes, marks] = await Promise.all([
      letterCauses(this.db, { organizationId, projectId, from, to, parts, scan, limit: mostCauses }),
      this.marks.all(projectId),
    ]);
    const people = await this.people(projectId, causes);
    const byId = new Map(marks.map((mark) => [mark.id, mark]));
    const found = causes.map((cause, index) => problemOf(cause, people.get(index) ?? 0, byId.get(idOf(cause))));
    const data = found
      .filter((one) => state === null || one.state === state)
      .toSorted(
        (a, b) => order.indexOf(a.state) - order.indexOf(b.state) || b.last_seen.getTime() - a.last_seen.getTime(),
      );
    const counted = causes.reduce((sum, { count }) => sum + count, 0);
    return { data, days, cut: counted >= scan || causes.length >= mostCauses };
  }

  async mute(caller: Principal, id: string, hours: number | null): Promise<Problem> {
    await this.marks.set(caller, id, await this.find(caller, id), 'muted', hours);
    return this.find(caller, id);
  }

  async resolve(caller: Principal, id: string): Promise<Problem> {
    await this.marks.set(caller, id, await this.find(caller, id), 'resolved', null);
    return this.find(caller, id);
  }

  async reopen(caller: Principal, id: string): Promise<Problem> {
    await this.find(caller, id);
    await this.marks.clear(caller.projectId, id);
    return this.find(caller, id);
  }

  private async find(caller: Principal, id: string): Promise<Problem> {
    const found = (await this.list(caller, null)).data.find((one) => one.id === id);
    if (found) return found;
    throw new Refusal(404, 'problem_not_found', 'No dead letter of this project has this cause any more.');
  }

  /** How many contacts, and senders without one, each cause hit. */
  private async people(projectId: string, causes: LetterCause[]): Promise<Map<number, number>> {
    const pairs = causes.flatMap(({ receipt_ids: ids }, index) => ids.map((id) => ({ id, index })));
    const rows = (await this.db.query(
      `SELECT c.index, count(DISTINCT coalesce(m.contact_id, m.app_id || ' ' || (m.message ->> 'sender')))::integer AS people
         FROM unnest($2::text[], $3::integer[]) AS c(receipt_id, index)
         JOIN router.message m ON m.receipt_id = c.receipt_id AND m.project_id = $1 GROUP BY c.index`,
      [projectId, pairs.map(({ id }) => id), pairs.map(({ index }) => index)],
    )) as { index: number; people: number }[];
    return new Map(rows.map(({ index, people }) => [index, people]));
  }
}

function idOf({ app_id, stage, reason }: Cause): string {
  return `prb_${hash('sha256', JSON.stringify([app_id, stage, reason])).slice(0, 32)}`;
}

function problemOf(cause: LetterCause, people: number, mark: ProblemMark | undefined): Problem {
  const { app_id, stage, reason, error, count, open, first_seen, last_seen, parts: counts } = cause;
  return {
    id: idOf(cause),
    app_id,
    stage,
    reason,
    state: stateOf(cause, mark),
    error,
    count,
    open,
    people,
    first_seen,
    last_seen,
    last_event_id: cause.last_receipt_id,
    parts: counts,
    muted_until: mark?.muted_until ?? null,
    marked_by: mark?.made_by ?? null,
    marked_at: mark?.made_at ?? null,
  };
}

function stateOf({ open, last_seen }: LetterCause, mark: ProblemMark | undefined): ProblemState {
  if (mark?.mark === 'muted' && (mark.muted_until === null || mark.muted_until.getTime() > Date.now())) return 'muted';
  if (open === 0) return 'resolved';
  if (mark?.mark !== 'resolved') return 'open';
  return last_seen.getTime() > mark.made_at.getTime() ? 'regressed' : 'resolved';
}
