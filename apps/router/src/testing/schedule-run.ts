import { type MessageRoutePayload, newId } from '#libs/contracts';
import type { Journal } from '#libs/journal';
import assert from 'node:assert/strict';
import type { RoutingService } from '../routing/routing.service.js';
import type { SessionRepository } from '../sessions/session.repository.js';
import type { TurnRow } from '../turns/turn.entity.js';
import type { TurnsService } from '../turns/turns.service.js';
import { Crash, type Fuse } from './crashes.js';
import { caller, jobOf, type RouterWorld } from './router-under-test.js';

export const senders = 3;
export const messagesOf = 4;

export interface Mortal {
  routing: RoutingService;
  turns: TurnsService;
  sessions: SessionRepository;
  journal: Journal;
  fuse: Fuse;
}

interface Sent {
  job: MessageRoutePayload;
  dedupKey: string;
  /** Steps of the schedule in which the message was first offered, and first known to be claimed. */
  offeredAt: number;
  claimedAt: number;
}

export type Step =
  | { do: 'deliver'; message: number; twin: boolean }
  | { do: 'take'; turn: number }
  | { do: 'finish'; taken: number; failed: boolean }
  | { do: 'takeover'; session: number }
  | { do: 'hand_back'; session: number; answerWaiting: boolean };

export interface Move {
  step: Step;
  router: 0 | 1;
  /** Statements until the router dies, or null; whether the last one still runs. */
  crash: { statements: number; after: boolean } | null;
}

/** One schedule, over messages of its own. */
export class ScheduleRun {
  private readonly id = newId('req');
  private readonly sent: Sent[];
  private readonly twins: MessageRoutePayload[];
  private readonly taken: string[] = [];

  constructor(
    private readonly world: RouterWorld,
    private readonly routers: Mortal[],
    private readonly appId: string,
  ) {
    this.sent = Array.from({ length: senders * messagesOf }, (_, index) => {
      const dedupKey = `${this.id} ${index}`;
      return { job: this.job(index, dedupKey), dedupKey, offeredAt: Infinity, claimedAt: Infinity };
    });
    // The provider sends it again as another request: another receipt, the same message.
    this.twins = this.sent.map(({ dedupKey }, index) => this.job(index, dedupKey));
  }

  async make({ step: wanted, router, crash }: Move, at: number): Promise<void> {
    const mortal = this.routers[router] as Mortal;
    if (crash) mortal.fuse.light(crash.statements, crash.after);
    try {
      await this.take(wanted, mortal, at);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    } finally {
      mortal.fuse.putOut();
    }
  }

  /** What the sweepers of the ingress and the router do: everything is offered again until it is done. */
  async drain(at: number): Promise<void> {
    await Promise.all(
      this.sent.map((_sent, index) => this.deliver(this.routers[index % 2] as Mortal, index, false, at)),
    );
    const sessions = await this.sessions();
    await Promise.all(sessions.map(({ id }) => this.routers[0]?.sessions.handBack(id, 'person', true)));
    for (let open = await this.openTurns(); open.length > 0; open = await this.openTurns()) {
      await this.routers[1]?.turns.finish(open.map(({ id }) => ({ turn_id: id, state: 'succeeded', error: null })));
    }
    await Promise.all(this.routers.map(({ journal }) => journal.beforeApplicationShutdown()));
  }

  async expectOneTurnAtATime(): Promise<void> {
    const crowded = await this.world.rows(
      `SELECT session_id FROM router.turn WHERE app_id = $1 AND state = 'open' AND session_id IS NOT NULL
        GROUP BY session_id HAVING count(*) > 1`,
      [this.appId],
    );
    assert.deepEqual(crowded, [], 'two turns of a session at once');
  }

  async expectAllHandled(): Promise<void> {
    const messages = await this.world.rows<{ id: string; dedup_key: string }>(
      `SELECT id, message ->> 'dedup_key' AS dedup_key FROM router.message WHERE app_id = $1 AND message ->> 'dedup_key' LIKE $2`,
      [this.appId, `${this.id} %`],
    );
    assert.deepEqual(
      messages.map(({ dedup_key }) => dedup_key).sort(),
      this.sent.map(({ dedupKey }) => dedupKey).sort(),
    );
    const turns = await this.world.rows<TurnRow>(
      'SELECT * FROM router.turn WHERE message_id = ANY($1) ORDER BY epoch, id',
      [messages.map(({ id }) => id)],
    );
    const unfinished = turns.filter(({ state }) => !['succeeded', 'failed', 'collected', 'handled'].includes(state));
    assert.deepEqual(unfinished, [], 'turns that nobody ended');
    this.expectHandledOnceInOrder(turns);
    expectTold(turns);
    await this.expectNothingStranded();
    await this.expectOneRunEach();
    await this.expectOneOutcomeEach();
  }

  private expectHandledOnceInOrder(turns: TurnRow[]): void {
    const answered = turns.filter(({ session_id, state }) => session_id !== null && state !== 'collected');
    const handled = answered.flatMap(({ input }) =>
      [...(input.earlier ?? []), input.message].map((each) => each.dedup_key),
    );
    assert.deepEqual([...handled].sort(), this.sent.map(({ dedupKey }) => dedupKey).sort());
    for (const [index, first] of this.sent.entries()) {
      for (const [other, second] of this.sent.entries()) {
        if (index % senders !== other % senders || first.claimedAt >= second.offeredAt) continue;
        // Whoever was claimed before the other was even offered is handled before it.
        assert.ok(
          handled.indexOf(first.dedupKey) < handled.indexOf(second.dedupKey),
          `${first.dedupKey} came too late`,
        );
      }
    }
  }

  private async expectNothingStranded(): Promise<void> {
    const sessions = await this.world.rows(
      `SELECT s.id FROM router.session s WHERE s.app_id = $1
          AND (s.current_turn_id IS NOT NULL OR EXISTS (SELECT FROM router.session_inbox i WHERE i.session_id = s.id))`,
      [this.appId],
    );
    assert.deepEqual(sessions, [], 'a stranded inbox');
  }

  private async expectOneRunEach(): Promise<void> {
    const runs = await this.world.rows<{ text: string; runs: number; done: boolean }>(
      `SELECT m.message ->> 'message' AS text, count(r.id)::integer AS runs, bool_and(r.state IN ('succeeded', 'failed')) AS done
         FROM router.message m LEFT JOIN router.run r ON r.message_id = m.id
        WHERE m.message ->> 'dedup_key' LIKE $1 GROUP BY m.id, text`,
      [`${this.id} %`],
    );
    for (const { text, runs: count, done } of runs) {
      assert.deepEqual(
        { text, count, done },
        {
          text,
          count: text.endsWith('0') ? 1 : 0,
          done: text.endsWith('0') ? true : null,
        },
      );
    }
  }

  private async expectOneOutcomeEach(): Promise<void> {
    const outcomes = await this.world.rows<{ receipt_id: string; outcomes: string[] }>(
      `SELECT receipt_id, array_agg(DISTINCT outcome) AS outcomes FROM journal.entry WHERE receipt_id = ANY($1) AND terminal
        GROUP BY receipt_id`,
      [this.sent.map(({ job }) => job.receipt_id)],
    );
    assert.equal(outcomes.length, this.sent.length);
    const ends = outcomes.map((each) => each.outcomes.join());
    assert.deepEqual(
      [...new Set(ends)].filter((end) => end !== 'routed' && end !== 'duplicate'),
      [],
    );
  }

  private async take(wanted: Step, mortal: Mortal, at: number): Promise<void> {
    if (wanted.do === 'deliver') return this.deliver(mortal, wanted.message, wanted.twin, at);
    if (wanted.do === 'take') {
      // Taken twice: its lease was over, and another engine took it up.
      const open = await this.openTurns();
      const turn = open[wanted.turn % Math.max(1, open.length)];
      if (turn) this.taken.push(turn.id);
      return;
    }
    if (wanted.do === 'takeover' || wanted.do === 'hand_back') return this.takeOver(wanted, mortal);
    const turnId = this.taken[wanted.taken % Math.max(1, this.taken.length)];
    const end = wanted.failed
      ? ({ state: 'failed', error: 'model_down' } as const)
      : ({ state: 'succeeded', error: null } as const);
    if (turnId) await mortal.turns.finish([{ turn_id: turnId, ...end }]);
  }

  private async takeOver(wanted: Extract<Step, { session: number }>, { sessions }: Mortal): Promise<void> {
    const all = await this.sessions();
    const session = all[wanted.session % Math.max(1, all.length)];
    if (!session) return;
    if (wanted.do === 'takeover') await sessions.takeOver(caller.projectId, session.id, 'person');
    else await sessions.handBack(session.id, 'person', wanted.answerWaiting);
  }

  private async deliver(mortal: Mortal, index: number, twin: boolean, at: number): Promise<void> {
    const message = this.sent[index] as Sent;
    message.offeredAt = Math.min(message.offeredAt, at);
    await mortal.routing.route((twin ? this.twins[index] : message.job) as MessageRoutePayload, 1);
    message.claimedAt = Math.min(message.claimedAt, at);
  }

  private sessions(): Promise<{ id: string }[]> {
    return this.world.rows(
      `SELECT DISTINCT t.session_id AS id FROM router.turn t JOIN router.message m ON m.id = t.message_id
        WHERE t.app_id = $1 AND t.session_id IS NOT NULL AND m.message ->> 'dedup_key' LIKE $2 ORDER BY 1`,
      [this.appId, `${this.id} %`],
    );
  }

  private openTurns(): Promise<Pick<TurnRow, 'id'>[]> {
    return this.world.rows(`SELECT id FROM router.turn WHERE app_id = $1 AND state = 'open' ORDER BY id`, [this.appId]);
  }

  private job(index: number, dedupKey: string): MessageRoutePayload {
    const sender = `${this.id} sender ${index % senders}`;
    // The text of each is another one: this is not about loops.
    return jobOf(this.appId, { sender, message: `${this.id} ${index}`, dedup_key: dedupKey });
  }
}

/** What people handled is told to every turn of its session that starts after it, up to the first that succeeded. */
function expectTold(turns: TurnRow[]): void {
  const handled = turns.filter(({ state }) => state === 'handled');
  const started = turns.filter(({ session_id, state }) => session_id && !['handled', 'collected'].includes(state));
  for (const { session_id, epoch, input } of handled) {
    const after = started.filter((turn) => turn.session_id === session_id && turn.epoch > epoch);
    const first = after.findIndex(({ state }) => state === 'succeeded');
    const due = first === -1 ? after : after.slice(0, first + 1);
    const told = after.filter((turn) =>
      turn.input.takeover?.some((line) => line.by === 'sender' && line.message.dedup_key === input.message.dedup_key),
    );
    assert.deepEqual(
      told.map(({ id }) => id),
      due.map(({ id }) => id),
      `${input.message.dedup_key} was told otherwise`,
    );
  }
}
