import {
  callWaitsCode,
  eventAwaitedCode,
  type Outcome,
  type ReplyTarget,
  scopeOf,
  type TurnInput,
  type TurnReply,
  type TurnRunPayload,
} from '#libs/contracts';
import { isRefusedRow } from '#libs/database';
import { Journal, type JournalEntry } from '#libs/journal';
import { PermanentFailure, RunLater, type Waiting } from '#libs/queue';
import { Metrics, ServiceClient } from '#libs/service-kit';
import { LeaseLost } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { Arrivals } from './arrivals.js';
import { AgentCalls, agentCalledCode } from '../calls/agent-call.repository.js';
import { Previews, TypingSignal } from '../previews/previews.service.js';
import { type OfferedReply, ReplyOfferService } from '../replies/reply-offer.service.js';
import { type Turn, wholeInput } from '../../entities/turn.entity.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { type TurnEnding, TurnEndingRepository, TurnFailureService } from './turn-ending.repository.js';
import { reservedCode, TurnBudget } from './turn-budget.service.js';
import { slotCode, TurnLeases, TurnSlotRepository } from './running-turns.repository.js';
import { ATTACHMENTS, type Attachments, MCP_CALLS, type McpCalls } from '../tools/tool.js';
import { TurnRunner } from './turn-runner.service.js';
import { WorkflowRunner } from './workflow-runner.service.js';
import { TurnEnqueuer } from './start-next.js';
import { type ClaimedTurn, type ClaimOutcome, isHandover, TurnRepository } from './turn.repository.js';

import { postponed, type Tried, turnSettlement } from './turn.verdict.js';

const enteredRetryMs = 100;
/** How early the job of a retry may come because two clocks differ. */
const earlyMs = 20;

const cleanedWords = {
  text: 'Parts of the answer were removed before it was sent. Notes in it say where. The step of the model call keeps the full text.',
};

/** Takes a `turn.run` job through claim, run, commit and announcement. Each part may run any number of times. */
@Injectable()
export class TurnJobService {
  constructor(
    private readonly turns: TurnRepository,
    private readonly endings: TurnEndingRepository,
    private readonly failures: TurnFailureService,
    private readonly leases: TurnLeases,
    private readonly runner: TurnRunner,
    private readonly workflow: WorkflowRunner,
    private readonly slots: TurnSlotRepository,
    private readonly enqueuer: TurnEnqueuer,
    private readonly arrivals: Arrivals,
    private readonly offers: ReplyOfferService,
    private readonly previews: Previews,
    private readonly budget: TurnBudget,
    private readonly typing: TypingSignal,
    @Inject(ATTACHMENTS) private readonly attachments: Attachments,
    private readonly calls: AgentCalls,
    @Inject(MCP_CALLS) private readonly mcpCalls: McpCalls,
    private readonly router: ServiceClient,
    private readonly journal: Journal,
    private readonly metrics: Metrics,
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
    await this.leases.during({ turn_id: tried.id, claim: tried.claim }, async (lost) => {
      await this.takeSlot(payload, tried);
      try {
        goesOnMs = await this.runClaimed(payload, tried, claimed, lost);
      } finally {
        await this.enqueueNext(payload.project_id);
      }
    });
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

  /** @throws RunLater when the project already runs as many turns as it may */
  private async takeSlot(payload: TurnRunPayload, tried: Tried): Promise<void> {
    try {
      await this.slots.take(payload.project_id, tried);
    } catch (error) {
      // The timeline has it where the turn waited for the same before.
      const isNew = error instanceof RunLater && tried.reason !== slotCode;
      if (isNew) this.note(payload, 'held', slotCode, tried.claim, null, { advice: error.message });
      throw error;
    }
  }

  /** A turn ended or waits, so the next turn of its project can have the slot. */
  private async enqueueNext(projectId: string): Promise<void> {
    // A turn that is missed here looks again by itself.
    const next = await this.slots.next(projectId).catch(() => null);
    if (next) this.enqueuer.enqueue([next]);
  }

  /** @returns after which time the queued turn goes on: with the next step of its workflow, or with a call that waits; null: somebody else sees to it */
  private async runClaimed(
    payload: TurnRunPayload,
    tried: Tried,
    { input, session_id, memory }: ClaimedTurn,
    lost: AbortSignal,
  ): Promise<number | null> {
    const startedMs = performance.now();
    const claim = { turn_id: tried.id, claim: tried.claim };
    let isRetried = false;
    let stores = 0;
    // Most claims of a turn whose call waits only look.
    const stopTyping = this.typing.begin(payload, input ?? null, tried.reason === callWaitsCode);
    try {
      // The row counts attempts too, so a turn that kills its process or whose job is added anew still ends.
      if (tried.tries > this.settings.TURN_MAX_ATTEMPTS)
        throw new PermanentFailure('attempts_exhausted', `${tried.tries} tries`);
      if (!input) throw new PermanentFailure('input_missing', 'the turn was stored without its input');
      const run = { input: await this.attachments.heard(payload, claim, input, lost), session_id, memory };
      const { steps } = input;
      const result = await (steps
        ? this.workflow.run(payload, tried, { ...run, steps }, lost)
        : this.runner.run(payload, claim, run, lost));
      if ('continues' in result) return 0;
      if ('waitsFor' in result) {
        const detail = { tools: result.waitsFor };
        const durationMs = performance.now() - startedMs;
        if (result.on === 'agents') await this.awaitAgents(payload, tried, durationMs, detail);
        else if (result.on === 'event')
          await this.giveBack(payload, tried, eventAwaitedCode, result.lookMs, durationMs, result.detail);
        else if (result.on === 'server') return await this.awaitServer(payload, tried, durationMs, result);
        else this.note(payload, 'held', 'waiting_approval', claim.claim, durationMs, detail);
        return null;
      }
      const { ending, facts, cleaned } = result;
      const { reason, answer_id } = ending;
      const gave: TurnReply = { reply: answer_id === null ? 'none' : 'sent', reason };
      const durationMs = performance.now() - startedMs;
      const entry = entryOf(payload, 'succeeded', reason, claim.claim, durationMs, { ...facts, reply: gave.reply });
      const detail = { ...cleanedWords, taken: cleaned };
      const before = cleaned ? [entryOf(payload, 'running', 'reply_cleaned', claim.claim, null, detail)] : [];
      const { ended, started } = await this.turns.work.persist(() => {
        stores += 1;
        return this.endings.end(ending, [...before, entry]);
      });
      if (!ended && stores > 1) await this.offers.resendOf(payload.turn_id);
      if (!ended) throw new LeaseLost('the lease was lost, or its end is stored and nobody heard of it');
      this.previews.end(claim, false);
      this.enqueuer.go(started);
      await this.calls.wakeCallerOf({ called_by: input.called_by?.turn_id ?? null });
      this.metrics.hopSeconds.observe({ stage: 'turn', outcome: 'succeeded' }, durationMs / 1000);
      // Its files are rows, which its own offer does not know.
      if (answer_id !== null && result.mayHaveFiles) await this.offers.offerOf(payload.turn_id, payload.custody);
      else if (answer_id !== null && input.reply)
        await this.offers.offer(offerOf(payload, ending, answer_id, input.reply));
      return null;
    } catch (error) {
      if (error instanceof LeaseLost) return null;
      if (stores > 0 && !isRefusedRow(error)) throw error;
      const next = turnSettlement(error, tried, this.settings);
      const code = next.reason ?? 'internal_error';
      isRetried = next.due_in_ms !== null;
      await this.turns.work.persist(() => this.turns.release(next));
      if (next.due_in_ms === null) {
        throw new PermanentFailure(code, error instanceof Error ? error.message : String(error));
      }
      if (code === reservedCode) {
        // It waits for others, and the timeline would get an entry for each look.
        if (tried.reason !== code) this.note(payload, 'held', code, claim.claim, null, messageOf(error));
      } else if (next.blocked_since === null) {
        this.note(payload, 'retrying', code, claim.claim, performance.now() - startedMs, messageOf(error));
      } else if (tried.blocked_since === null || tried.reason !== code) {
        // Otherwise it has been waiting for the same since an earlier try, and the timeline would get an entry for each.
        const until = new Date(next.blocked_since.getTime() + this.settings.TURN_WAIT_MS).toISOString();
        this.note(payload, 'held', code, claim.claim, null, { ...messageOf(error), until });
      }
      throw new RunLater(next.due_in_ms, code);
    } finally {
      stopTyping();
      this.previews.end(claim, isRetried);
      await this.budget.release(claim.turn_id);
    }
  }

  /** Gives the lease back until the agents that it asked have answered. Whoever ends the last of their turns wakes it. */
  private async awaitAgents(payload: TurnRunPayload, tried: Tried, durationMs: number, detail: object): Promise<void> {
    await this.giveBack(payload, tried, agentCalledCode, this.settings.AGENT_CALL_LOOK_MS, durationMs, { ...detail });
    // One that ended before the lease was given back has woken nobody.
    await this.calls.wake(tried.id);
  }

  /** Gives the lease back until the user has answered what a server asks, or its task is looked at again. */
  private async awaitServer(
    payload: TurnRunPayload,
    tried: Tried,
    durationMs: number,
    { lookMs, detail }: { lookMs: number; detail: Record<string, unknown> },
  ): Promise<number> {
    await this.giveBack(payload, tried, callWaitsCode, lookMs, durationMs, detail);
    await this.mcpCalls.wakeAnswered(tried.id);
    return lookMs;
  }

  private async giveBack(
    payload: TurnRunPayload,
    tried: Tried,
    code: string,
    lookMs: number,
    durationMs: number,
    detail: Record<string, unknown>,
  ): Promise<void> {
    await this.turns.release(postponed(tried, code, lookMs, this.settings));
    // The timeline has it where the turn waited for the same before.
    if (tried.reason !== code) this.note(payload, 'held', code, tried.claim, durationMs, detail);
  }

  /** A turn has to be stored with its input, since other turns of its session are compared with it. */
  private async whole(payload: TurnRunPayload): Promise<TurnRunPayload> {
    if (payload.input || !isHandover(payload) || (await this.turns.byId(payload.turn_id))) return payload;
    const scope = scopeOf(payload);
    const { message_id, turn_id } = payload;
    const path = `/internal/messages/${encodeURIComponent(message_id ?? '')}/turns/${encodeURIComponent(turn_id)}`;
    return { ...payload, input: (await this.router.get<{ input: TurnInput }>(path, scope)).input };
  }

  private note(
    payload: TurnRunPayload,
    outcome: 'running' | 'succeeded' | 'failed' | 'retrying' | 'held',
    reason: string | null,
    attempt: number,
    durationMs: number | null,
    detail: Record<string, unknown> | null,
  ): void {
    if (durationMs !== null) this.metrics.hopSeconds.observe({ stage: 'turn', outcome }, durationMs / 1000);
    this.journal.append(entryOf(payload, outcome, reason, attempt, durationMs, detail));
  }
}

function entryOf(
  { receipt_id, organization_id, project_id, app_id, turn_id }: TurnRunPayload,
  outcome: Outcome,
  reason: string | null,
  attempt: number,
  duration_ms: number | null,
  detail: Record<string, unknown> | null,
): JournalEntry {
  const subject = { receipt_id, organization_id, project_id, app_id, subject_id: turn_id };
  return { ...subject, stage: 'turn', outcome, reason, attempt, duration_ms, detail };
}

function offerOf(
  { turn_id, organization_id, project_id, receipt_id, custody }: TurnRunPayload,
  { reply_text: text }: TurnEnding,
  delivery_id: string,
  target: ReplyTarget,
): OfferedReply {
  const content = { text, target };
  return {
    delivery_id,
    turn_id,
    organization_id,
    project_id,
    receipt_id,
    content,
    ...(custody?.surplus ? { custody: { surplus: true } } : {}),
  };
}

function messageOf(error: unknown): { error: string } {
  return { error: (error instanceof Error ? error.message : String(error)).slice(0, 500) };
}
