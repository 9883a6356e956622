import { scopeOf, type TurnInput, type TurnRunPayload } from '#libs/contracts';
import { isRefusedRow } from '#libs/database';
import { RunLater, type Waiting } from '#libs/queue';
import { ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type Turn, wholeInput } from '../../entities/turn.entity.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { AgentCalls } from '../calls/agent-call.repository.js';
import { ReplyOfferService } from '../replies/reply-offer.service.js';
import { Arrivals } from './arrivals.js';
import { TurnLeases, TurnSlots } from './running-turns.repository.js';
import { TurnEnqueuer } from './start-next.js';
import { TurnAttempts } from './turn-attempt.service.js';
import { TurnFailureService } from './turn-ending.repository.js';
import { type ClaimedTurn, type ClaimOutcome, isHandover, TurnRepository } from './turn.repository.js';
import { postponed, type Tried } from './turn.verdict.js';

const enteredRetryMs = 100;
/** How early the job of a retry may come because two clocks differ. */
const earlyMs = 20;

/** Takes a `turn.run` job to its turn's row: in order, claimed once, under its lease and in a slot of its project. */
@Injectable()
export class TurnJobService {
  constructor(
    private readonly turns: TurnRepository,
    private readonly failures: TurnFailureService,
    private readonly leases: TurnLeases,
    private readonly slots: TurnSlots,
    private readonly attempts: TurnAttempts,
    private readonly arrivals: Arrivals,
    private readonly enqueuer: TurnEnqueuer,
    private readonly offers: ReplyOfferService,
    private readonly calls: AgentCalls,
    private readonly router: ServiceClient,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /**
   * One job carries a turn's tries, and the row counts them. A job that finds its turn claimed by another ends: the
   * holder finishes or reschedules the turn, and a sweep recovers it if the holder dies.
   * @param waiting wraps a wait for an earlier message, which does not count as work
   * @throws RunLater until the next try; PermanentFailure with the reason
   */
  async run(given: TurnRunPayload, waiting: Waiting): Promise<void> {
    if (!this.leases.enter(given.turn_id)) {
      if (this.leases.isRunning(given.turn_id)) return;
      // It is being stored, or its run has lost the lease and nobody may hold it by then.
      throw new RunLater(enteredRetryMs, 'turn_entered');
    }
    try {
      const payload = await this.whole(given);
      await waiting(this.turns.work.gate.open());
      const outcome = await this.claim(payload, waiting);
      if (outcome.state === 'leased' || outcome.state === 'waiting') return;
      if (outcome.state === 'rescheduled') {
        // The row says when, and one job is enough: the one that is due then, or a sweeper's.
        if (outcome.delayMs > earlyMs) return;
        throw new RunLater(outcome.delayMs, 'turn_rescheduled');
      }
      if (outcome.state === 'ended') return await this.offers.resendOf(payload.turn_id);
      await this.runInSlot(payload, outcome.tried, outcome);
    } finally {
      this.leases.leave(given.turn_id);
    }
  }

  /** Runs a turn that is claimed to be tried alone. @throws as `run` */
  async runSuspect(payload: TurnRunPayload, turn: Turn): Promise<void> {
    // A job of it has just come, and finds it claimed.
    if (!this.leases.enter(turn.id)) {
      await this.turns.release(postponed(turn, 'turn_entered', enteredRetryMs, this.settings));
      return;
    }
    try {
      await this.runInSlot(payload, turn, {
        ...turn,
        input: wholeInput(turn),
        memory: await this.turns.memoryOf(turn.id),
      });
    } finally {
      this.leases.leave(turn.id);
    }
  }

  /** The job cannot be read, so the turn can have no row. It is reported on the timeline all the same. */
  refuse(given: Partial<TurnRunPayload> & { turn_id: string }, code: string): Promise<void> {
    return this.failures.reportRefused(given, code);
  }

  /** Ends a turn for good, with its dead letter and failure notice. @param message the reason, for people */
  async fail(payload: TurnRunPayload, code: string, message: string): Promise<void> {
    try {
      const failed = await this.failures.end(payload, code, message);
      if (!failed) return;
      this.enqueuer.go(failed.started);
      await this.calls.wakeCallerOf(failed.turn);
      // The notice of a turn that has failed before may have arrived long ago.
      const { id, notice_id: before } = failed.turn;
      await (before === null ? this.offers.offerOf(id) : this.offers.resendOf(id));
    } catch (error) {
      if (!isRefusedRow(error)) throw error;
      await this.refuse(payload, code);
    }
  }

  private async runInSlot(payload: TurnRunPayload, tried: Tried, claimed: ClaimedTurn): Promise<void> {
    let goesOnMs: number | null = null;
    await this.leases.during({ turn_id: tried.id, claim: tried.claim }, (lost) =>
      this.slots.during(payload, tried, async () => {
        goesOnMs = await this.attempts.make(payload, tried, claimed, lost);
      }),
    );
    if (goesOnMs !== null) throw new RunLater(goesOnMs, 'next_step');
  }

  /** Stores turns of sessions in the order in which their messages were acknowledged, as far as possible. */
  private async claim(payload: TurnRunPayload, waiting: Waiting): Promise<ClaimOutcome> {
    const place = isHandover(payload) ? payload.session?.place : undefined;
    if (place === undefined) return this.turns.claim(payload);
    await waiting(this.arrivals.inOrder(payload.app_id, place));
    try {
      return await this.turns.claim(payload);
    } finally {
      this.arrivals.stored(payload.app_id, place);
    }
  }

  /** A turn has to be stored with its input, since other turns of its session are compared with it. */
  private async whole(payload: TurnRunPayload): Promise<TurnRunPayload> {
    if (payload.input || !isHandover(payload) || (await this.turns.byId(payload.turn_id))) return payload;
    const scope = scopeOf(payload);
    const { message_id, turn_id } = payload;
    const path = `/internal/messages/${encodeURIComponent(message_id ?? '')}/turns/${encodeURIComponent(turn_id)}`;
    return { ...payload, input: (await this.router.get<{ input: TurnInput }>(path, scope)).input };
  }
}
