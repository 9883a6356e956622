import type { TurnInput, TurnRunPayload } from '#libs/contracts';
import { isRefusedRow } from '#libs/database';
import { Journal } from '#libs/journal';
import { errorCode, PermanentFailure, RunLater } from '#libs/queue';
import { Metrics, ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { LeaseLost } from '../loop/step-log.js';
import { ModelError } from '../model/model.js';
import { ReplyOffers } from '../replies/reply-offers.service.js';
import type { EngineSettings } from '../settings.js';
import { SETTINGS } from '../settings.js';
import { TurnAnnouncer } from './turn-announcer.js';
import { TurnEndingRepository } from './turn-ending.repository.js';
import { TurnLeases } from './turn-leases.js';
import { TurnRunner } from './turn-runner.service.js';
import { type Claim, type EndedTurn, TurnRepository } from './turn.repository.js';

const heldRetryMs = 1_000;
const runShownAfterMs = 300;

/** Takes a `turn.run` job through claim, run, commit and announcement; every part of it may come any number of times. */
@Injectable()
export class TurnJobs {
  constructor(
    @Inject(TurnRepository) private readonly turns: TurnRepository,
    @Inject(TurnEndingRepository) private readonly endings: TurnEndingRepository,
    @Inject(TurnLeases) private readonly leases: TurnLeases,
    @Inject(TurnRunner) private readonly runner: TurnRunner,
    @Inject(TurnAnnouncer) private readonly announcer: TurnAnnouncer,
    @Inject(ReplyOffers) private readonly offers: ReplyOffers,
    @Inject(ServiceClient) private readonly router: ServiceClient,
    @Inject(Journal) private readonly journal: Journal,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** @throws RunLater while another claim holds the turn; what a failed run threw */
  async run(payload: TurnRunPayload): Promise<void> {
    if (payload.cancelled) return this.cancel(payload);
    const leaseLost = this.leases.enter(payload.turn_id);
    if (!leaseLost) throw new RunLater(heldRetryMs, 'turn_running');
    try {
      const outcome = await this.turns.claim(payload, this.leases.owner);
      if (outcome.state === 'leased') throw new RunLater(heldRetryMs, 'turn_leased');
      if (outcome.state === 'waiting_approval') return;
      if (outcome.state === 'ended') return await this.sayAgain(outcome.turn);
      this.leases.hold(payload.turn_id);
      const claim = { turn_id: payload.turn_id, lease_owner: this.leases.owner, attempt: outcome.attempt };
      const shown = payload.run_id ? this.showRunning(claim) : undefined;
      try {
        await this.runClaimed(payload, claim, outcome.input, leaseLost);
      } finally {
        clearTimeout(shown);
      }
    } finally {
      this.leases.leave(payload.turn_id);
    }
  }

  /** Says that a run is under way once it has taken a while: for one that is through at once it would cost a hop more. */
  private showRunning({ turn_id, attempt }: Claim): NodeJS.Timeout {
    return setTimeout(() => this.announcer.progressed({ turn_id, state: 'running', attempt }), runShownAfterMs);
  }

  /** The job's payload cannot be read, so there is no turn to store: the router ends its run all the same. */
  async refuse(turnId: string, code: string): Promise<void> {
    await this.announcer.announce({ turn_id: turnId, state: 'failed', error: code });
  }

  /** Ends a turn whoever runs it: from here on its claim stores nothing, so no reply of it goes out. */
  async cancel(payload: TurnRunPayload): Promise<void> {
    const { ended, now } = await this.turns.cancel(payload);
    this.leases.abort(payload.turn_id);
    if (now) this.note(payload, 'failed', 'cancelled', ended.attempt, null, null);
    await this.sayAgain(ended);
  }

  /** The job's last attempt failed. */
  async bury(payload: TurnRunPayload, code: string): Promise<void> {
    let ended: EndedTurn | null;
    try {
      ended = await this.turns.fail(payload, code);
    } catch (error) {
      if (!isRefusedRow(error)) throw error;
      // There can be no row of it: the router, which asks for it, has to end it.
      return this.refuse(payload.turn_id, code);
    }
    if (!ended) return;
    if (ended.state === 'failed') this.note(payload, 'failed', ended.error ?? code, ended.attempt, null, null);
    await this.sayAgain(ended);
  }

  private async runClaimed(
    payload: TurnRunPayload,
    claim: Claim,
    storedInput: TurnInput | null,
    leaseLost: AbortSignal,
  ): Promise<void> {
    const startedMs = performance.now();
    try {
      // Attempts are counted in the row too: a turn that kills its process, or whose job is added anew, ends all the same.
      if (claim.attempt > this.settings.TURN_MAX_ATTEMPTS)
        throw new PermanentFailure('attempts_exhausted', `${claim.attempt} attempts`);
      const input = storedInput ?? (await this.fetchInput(payload));
      const result = await this.runner.run(payload, claim, input, leaseLost);
      if ('waitsFor' in result) {
        const detail = { tools: result.waitsFor };
        const durationMs = performance.now() - startedMs;
        if (payload.run_id) {
          this.announcer.progressed({ turn_id: claim.turn_id, state: 'waiting_approval', attempt: claim.attempt });
        }
        return this.note(payload, 'held', 'waiting_approval', claim.attempt, durationMs, detail);
      }
      const { ending, facts } = result;
      if (!(await this.endings.end(ending))) throw new LeaseLost('the lease was lost');
      this.note({ ...payload, input }, 'succeeded', null, claim.attempt, performance.now() - startedMs, facts);
      await Promise.all([
        this.announcer.announce({ turn_id: claim.turn_id, state: 'succeeded', error: null }),
        ending.reply && this.offers.offer({ ...ending, ...ending.reply }),
      ]);
    } catch (error) {
      if (error instanceof LeaseLost) throw new RunLater(heldRetryMs, 'lease_lost');
      const failure = judged(error);
      const code = failure instanceof RunLater ? failure.code : errorCode(failure);
      await this.turns.release(claim, code, failure instanceof RunLater ? failure.delayMs : 0);
      if (!(failure instanceof PermanentFailure)) {
        this.note(
          { ...payload, input: storedInput ?? undefined },
          'retrying',
          code,
          claim.attempt,
          performance.now() - startedMs,
          null,
        );
      }
      throw failure;
    }
  }

  private async fetchInput(payload: TurnRunPayload): Promise<TurnInput> {
    const scope = { organizationId: payload.organization_id, projectId: payload.project_id };
    const { input } = await this.router.get<{ input: TurnInput }>(
      `/internal/turns/${encodeURIComponent(payload.turn_id)}`,
      scope,
    );
    await this.turns.keepInput(payload.turn_id, input);
    return input;
  }

  private async sayAgain(turn: EndedTurn): Promise<void> {
    await Promise.all([
      this.announcer.announce({ turn_id: turn.id, state: turn.state, error: turn.error }),
      this.offers.offerAgain([turn.id]),
    ]);
  }

  private note(
    payload: TurnRunPayload,
    outcome: 'succeeded' | 'failed' | 'retrying' | 'held',
    reason: string | null,
    attempt: number,
    durationMs: number | null,
    detail: Record<string, unknown> | null,
  ): void {
    if (durationMs !== null) this.metrics.hopSeconds.observe({ stage: 'turn', outcome }, durationMs / 1000);
    this.journal.append({
      receipt_id: payload.receipt_id,
      organization_id: payload.organization_id,
      project_id: payload.project_id,
      app_id: payload.app_id,
      stage: 'turn',
      outcome,
      reason,
      subject_id: payload.turn_id,
      attempt,
      duration_ms: durationMs,
      detail,
    });
  }
}

/** What the queue is told of a failed run: try again, wait as the endpoint asked, or give up. */
function judged(error: unknown): unknown {
  if (!(error instanceof ModelError)) return error;
  if (error.permanent) return new PermanentFailure(error.code, error.message);
  return error.retryAfterMs === null ? error : new RunLater(error.retryAfterMs, error.code);
}
