import { type MessageRoutePayload, newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import type { Journal } from '#libs/journal';
import assert from 'node:assert/strict';
import type { SessionRepository } from '../../apps/engine/src/manage/sessions/session.repository.js';
import type { Turn } from '../../apps/engine/src/entities/turn.entity.js';
import type { StoredMessage } from '../../apps/router/src/entities/message.entity.js';
import type { RoutingService } from '../../apps/router/src/path/routing/routing.service.js';
import { jobOf } from '../../apps/router/src/testing/router-world.js';
import { Crash, type Fuse } from './crashes.js';
import type { EngineParts, PathWorld } from './path-world.js';

const active = "('queued', 'running')";

export const senders = 3;
export const messagesOf = 4;

export interface Mortal {
  routing: RoutingService;
  engine: EngineParts;
  sessions: SessionRepository;
  journals: Journal[];
  /** One for its router and one for its engine, which die together. */
  fuses: Fuse[];
}

interface Sent {
  job: MessageRoutePayload;
  dedupKey: string;
  /** Steps of the schedule at which an engine was first offered its turns, and first known to have them. */
  offeredAt: number;
  takenAt: number;
}

export type Step =
  | { do: 'deliver'; message: number; twin: boolean }
  | { do: 'take'; message: number }
  | { do: 'finish'; turn: number; failed: boolean }
  | { do: 'takeover'; session: number }
  | { do: 'hand_back'; session: number; answerWaiting: boolean };

export interface Move {
  step: Step;
  mortal: 0 | 1;
  /** Statements until it dies, or null; `after`: whether the last one still runs. */
  crash: { statements: number; after: boolean } | null;
}

/** One schedule, with messages of its own. */
export class ScheduleRun {
  private readonly id = newId('req');
  private readonly sent: Sent[];
  private readonly twins: MessageRoutePayload[];

  constructor(
    private readonly world: PathWorld,
    private readonly mortals: Mortal[],
    private readonly appId: string,
  ) {
    this.sent = Array.from({ length: senders * messagesOf }, (_, index) => {
      const dedupKey = `${this.id} ${index}`;
      return { job: this.job(index, dedupKey), dedupKey, offeredAt: Infinity, takenAt: Infinity };
    });
    // The provider sends the message again as another request: another receipt, the same message.
    this.twins = this.sent.map(({ dedupKey }, index) => this.job(index, dedupKey));
  }

  async make({ step: wanted, mortal: which, crash }: Move, at: number): Promise<void> {
    const mortal = this.mortals[which] as Mortal;
    if (crash) for (const fuse of mortal.fuses) fuse.light(crash.statements, crash.after);
    try {
      await this.take(wanted, mortal, at);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    } finally {
      for (const fuse of mortal.fuses) fuse.putOut();
    }
  }

  /** What the sweepers of the ingress and the router do: everything is offered again until it is done. */
  async drain(at: number): Promise<void> {
    await Promise.all(this.sent.map((_sent, index) => this.deliver(this.mortals[index % 2] as Mortal, index, false)));
    for (const index of this.sent.keys()) await this.takeTurns(index, this.mortals[0] as Mortal, at + index);
    const sessions = await this.sessions();
    await Promise.all(sessions.map(({ id }) => this.mortals[0]?.sessions.handBack(id, 'person', true)));
    for (let open = await this.openTurns(); open.length > 0; open = await this.openTurns()) {
      for (const { id } of open) await this.world.finish(id, { state: 'succeeded' }, this.mortals[1]?.engine);
    }
    await Promise.all(this.mortals.flatMap(({ journals }) => journals.map((each) => each.beforeApplicationShutdown())));
  }

  async expectOneTurnAtATime(): Promise<void> {
    const crowded = await this.world.query(
      `SELECT session_id FROM engine.turn WHERE app_id = $1 AND state IN ${active} AND session_id IS NOT NULL
        GROUP BY session_id HAVING count(*) > 1`,
      [this.appId],
    );
    assert.deepEqual(crowded, [], 'two turns of a session at once');
  }

  async expectAllHandled(): Promise<void> {
    const messages = await this.messages();
    assert.deepEqual(
      messages.map(({ message }) => message.dedup_key).sort(),
      this.sent.map(({ dedupKey }) => dedupKey).sort(),
    );
    const turns = await this.world.query<Turn>(
      'SELECT * FROM engine.turn WHERE message_id = ANY($1) ORDER BY epoch, receipt_id, id',
      [messages.map(({ id }) => id)],
    );
    const unfinished = turns.filter(({ state }) => !['succeeded', 'failed', 'collected', 'handled'].includes(state));
    assert.deepEqual(unfinished, [], 'turns that nobody ended');
    const receiptOf = new Map(messages.map(({ message, receipt_id }) => [message.dedup_key ?? '', receipt_id]));
    this.expectHandledOnceInOrder(turns, receiptOf);
    expectTakeovers(turns);
    await this.expectNothingStranded();
    await this.expectOneRunEach();
    await this.expectOneOutcomeEach();
  }

  private expectHandledOnceInOrder(turns: Turn[], receiptOf: Map<string, string>): void {
    const answered = turns.filter(({ session_id, state }) => session_id !== null && state !== 'collected');
    const handled = answered.flatMap(({ input }) =>
      [...(input?.earlier ?? []), ...(input?.message ? [input.message] : [])].map((each) => each.dedup_key),
    );
    assert.deepEqual([...handled].sort(), this.sent.map(({ dedupKey }) => dedupKey).sort());
    for (const [index, first] of this.sent.entries()) {
      for (const [other, second] of this.sent.entries()) {
        const isEarlier = (receiptOf.get(first.dedupKey) ?? '') < (receiptOf.get(second.dedupKey) ?? '');
        if (index % senders !== other % senders || !isEarlier || first.takenAt >= second.offeredAt) continue;
        // It was acknowledged first, and taken before the other could be, so it has to be handled first.
        assert.ok(
          handled.indexOf(first.dedupKey) < handled.indexOf(second.dedupKey),
          `${first.dedupKey} came too late`,
        );
      }
    }
  }

  private async expectNothingStranded(): Promise<void> {
    const stranded = await this.world.query(
      `SELECT id FROM engine.turn WHERE app_id = $1 AND session_id IS NOT NULL AND state IN ('waiting', 'queued', 'running')`,
      [this.appId],
    );
    assert.deepEqual(stranded, [], 'a stranded inbox');
  }

  private async expectOneRunEach(): Promise<void> {
    const messages = await this.messages();
    const runs = await this.world.query<{ id: string; runs: number; done: boolean }>(
      `SELECT m.id, count(DISTINCT t.run_id)::integer AS runs, bool_and(t.state IN ('succeeded', 'failed')) AS done
         FROM router.message m LEFT JOIN engine.turn t ON t.message_id = m.id AND t.run_id IS NOT NULL
        WHERE m.id = ANY($1) GROUP BY m.id`,
      [messages.map(({ id }) => id)],
    );
    const textOf = new Map(messages.map(({ id, message }) => [id, message.message]));
    for (const { id, runs: count, done } of runs) {
      const text = textOf.get(id) ?? '';
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
    const outcomes = await this.world.query<{ receipt_id: string; outcomes: string[] }>(
      `SELECT receipt_id, array_agg(DISTINCT outcome) AS outcomes FROM ${everyEntry} e WHERE receipt_id = ANY($1) AND terminal
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
    if (wanted.do === 'deliver') return this.deliver(mortal, wanted.message, wanted.twin);
    if (wanted.do === 'take') {
      // As its job does, also when the job is repeated.
      return this.takeTurns(wanted.message, mortal, at);
    }
    if (wanted.do === 'takeover' || wanted.do === 'hand_back') return this.takeOver(wanted, mortal);
    const open = await this.openTurns();
    const turn = open[wanted.turn % Math.max(1, open.length)];
    const end = wanted.failed ? ({ state: 'failed', error: 'model_down' } as const) : ({ state: 'succeeded' } as const);
    if (turn) await this.world.finish(turn.id, end, mortal.engine);
  }

  private async takeOver(wanted: Extract<Step, { session: number }>, { sessions }: Mortal): Promise<void> {
    const all = await this.sessions();
    const session = all[wanted.session % Math.max(1, all.length)];
    if (!session) return;
    if (wanted.do === 'takeover') await sessions.takeOver(session.id, 'person');
    else await sessions.handBack(session.id, 'person', wanted.answerWaiting);
  }

  private async deliver(mortal: Mortal, index: number, twin: boolean): Promise<void> {
    await mortal.routing.route((twin ? this.twins[index] : this.sent[index]?.job) as MessageRoutePayload, 1);
  }

  private async takeTurns(index: number, mortal: Mortal, at: number): Promise<void> {
    const message = this.sent[index] as Sent;
    message.offeredAt = Math.min(message.offeredAt, at);
    const receipts = [message.job.receipt_id, this.twins[index]?.receipt_id ?? ''];
    for (const receipt of receipts) await this.world.take(receipt, mortal.engine);
    const found = await this.world.query('SELECT FROM engine.turn WHERE receipt_id = ANY($1)', [receipts]);
    if (found.length > 0) message.takenAt = Math.min(message.takenAt, at);
  }

  private async sessions(): Promise<{ id: string }[]> {
    return this.world.query(
      `SELECT DISTINCT session_id AS id FROM engine.turn
        WHERE app_id = $1 AND session_id IS NOT NULL AND message_id = ANY($2) ORDER BY 1`,
      [this.appId, (await this.messages()).map(({ id }) => id)],
    );
  }

  /** Those that this schedule has sent. */
  private async messages(): Promise<StoredMessage[]> {
    const messages = await this.world.messages('WHERE app_id = $1', [this.appId]);
    return messages.filter(({ message }) => message.dedup_key?.startsWith(`${this.id} `));
  }

  private openTurns(): Promise<Pick<Turn, 'id'>[]> {
    return this.world.query(`SELECT id FROM engine.turn WHERE app_id = $1 AND state IN ${active} ORDER BY id`, [
      this.appId,
    ]);
  }

  private job(index: number, dedupKey: string): MessageRoutePayload {
    const sender = `${this.id} sender ${index % senders}`;
    // Every text is different: this test is not about loops.
    return jobOf(this.appId, { sender, message: `${this.id} ${index}`, dedup_key: dedupKey });
  }
}

/** Every turn that starts after people handled a message is informed about it, up to the first that succeeded. */
function expectTakeovers(turns: Turn[]): void {
  const handled = turns.filter(({ state }) => state === 'handled');
  const started = turns.filter(({ session_id, state }) => session_id && !['handled', 'collected'].includes(state));
  for (const { session_id, epoch, input } of handled) {
    const key = input?.message?.dedup_key;
    const after = started.filter((turn) => turn.session_id === session_id && turn.epoch > epoch);
    const first = after.findIndex(({ state }) => state === 'succeeded');
    const due = first === -1 ? after : after.slice(0, first + 1);
    const informed = after.filter((turn) =>
      turn.input?.takeover?.some((line) => line.by === 'sender' && line.message.dedup_key === key),
    );
    assert.deepEqual(
      informed.map(({ id }) => id),
      due.map(({ id }) => id),
      `${key} heard otherwise`,
    );
  }
}
