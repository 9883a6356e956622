import { callWaitsCode, eventAwaitedCode, type TurnReply, type TurnRunPayload } from '#libs/contracts';
import { isRefusedRow } from '#libs/database';
import { Journal } from '#libs/journal';
import { PermanentFailure, RunLater } from '#libs/queue';
import { Metrics } from '#libs/service-kit';
import { LeaseLost } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { AgentCalls, agentCalledCode } from '../calls/agent-call.repository.js';
import { Previews, TypingSignal } from '../previews/previews.service.js';
import { ReplyOfferService } from '../replies/reply-offer.service.js';
import { ATTACHMENTS, type Attachments, MCP_CALLS, type McpCalls } from '../tools/tool.js';
import { entryOf, TurnEnqueuer } from './start-next.js';
import { TurnBudget } from './turn-budget.service.js';
import { TurnEndingRepository } from './turn-ending.repository.js';
import type { TurnResult } from './turn-result.js';
import { TurnRunner } from './turn-runner.service.js';
import type { SuspendedTurn } from './turn-setup.service.js';
import { type ClaimedTurn, TurnRepository } from './turn.repository.js';
import { noteOfFailure, postponed, type Tried, turnSettlement, type TurnSettlement } from './turn.verdict.js';
import { WorkflowRunner } from './workflow-runner.service.js';

const cleanedWords = {
  text: 'Parts of the answer were removed before it was sent. Notes in it say where. The step of the model call keeps the full text.',
};

/** Works on a claimed turn until it ends, waits or fails, and commits which. Each part may run any number of times. */
@Injectable()
export class TurnAttempts {
  constructor(
    private readonly turns: TurnRepository,
    private readonly endings: TurnEndingRepository,
    private readonly runner: TurnRunner,
    private readonly workflow: WorkflowRunner,
    private readonly enqueuer: TurnEnqueuer,
    private readonly offers: ReplyOfferService,
    private readonly previews: Previews,
    private readonly budget: TurnBudget,
    private readonly typing: TypingSignal,
    @Inject(ATTACHMENTS) private readonly attachments: Attachments,
    private readonly calls: AgentCalls,
    @Inject(MCP_CALLS) private readonly mcpCalls: McpCalls,
    private readonly journal: Journal,
    private readonly metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /**
   * @returns after which time the queued turn goes on: with the next step of its workflow, or with a call that waits;
   * null: somebody else sees to it
   * @throws RunLater until the next try; PermanentFailure with the reason
   */
  async make(payload: TurnRunPayload, tried: Tried, claimed: ClaimedTurn, lost: AbortSignal): Promise<number | null> {
    const startedMs = performance.now();
    let isCommitting = false;
    let isRetried = false;
    // Most claims of a turn whose call waits only look.
    const stopTyping = this.typing.begin(payload, claimed.input ?? null, tried.reason === callWaitsCode);
    try {
      const result = await this.resultOf(payload, tried, claimed, lost);
      if ('continues' in result) return 0;
      const durationMs = performance.now() - startedMs;
      if ('waitsFor' in result) return await this.suspend(payload, tried, result, durationMs);
      isCommitting = true;
      await this.commit(payload, tried, result, claimed.input, durationMs);
      return null;
    } catch (error) {
      if (error instanceof LeaseLost) return null;
      // Its end may be stored.
      if (isCommitting && !isRefusedRow(error)) throw error;
      const next = turnSettlement(error, tried, this.settings);
      isRetried = next.due_in_ms !== null;
      throw await this.settle(payload, tried, next, error, performance.now() - startedMs);
    } finally {
      stopTyping();
      this.previews.end({ turn_id: tried.id, claim: tried.claim }, isRetried);
      await this.budget.release(tried.id);
    }
  }

  private async resultOf(
    payload: TurnRunPayload,
    tried: Tried,
    { input, session_id, memory }: ClaimedTurn,
    lost: AbortSignal,
  ): Promise<TurnResult | SuspendedTurn | { continues: true }> {
    // The row counts attempts too, so a turn that kills its process or whose job is added anew still ends.
    if (tried.tries > this.settings.TURN_MAX_ATTEMPTS)
      throw new PermanentFailure('attempts_exhausted', `${tried.tries} tries`);
    if (!input) throw new PermanentFailure('input_missing', 'the turn was stored without its input');
    const claim = { turn_id: tried.id, claim: tried.claim };
    const run = { input: await this.attachments.heard(payload, claim, input, lost), session_id, memory };
    const { steps } = input;
    return steps
      ? this.workflow.run(payload, tried, { ...run, steps }, lost)
      : this.runner.run(payload, claim, run, lost);
  }

  /** Commits the end of a turn with its reply, then starts what waited for it. @throws LeaseLost */
  private async commit(
    payload: TurnRunPayload,
    tried: Tried,
    { ending, facts, cleaned, mayHaveFiles }: TurnResult,
    input: ClaimedTurn['input'],
    durationMs: number,
  ): Promise<void> {
    const { reason, answer_id } = ending;
    const subject = { ...payload, ...tried };
    const gave: TurnReply = { reply: answer_id === null ? 'none' : 'sent', reason };
    const entry = entryOf(subject, 'succeeded', reason, { ...facts, reply: gave.reply }, durationMs);
    const detail = { ...cleanedWords, taken: cleaned };
    const before = cleaned ? [entryOf(subject, 'running', 'reply_cleaned', detail)] : [];
    let stores = 0;
    const { ended, started } = await this.turns.work.persist(() => {
      stores += 1;
      return this.endings.end(ending, [...before, entry]);
    });
    if (!ended && stores > 1) await this.offers.resendOf(payload.turn_id);
    if (!ended) throw new LeaseLost('the lease was lost, or its end is stored and nobody heard of it');
    this.previews.end({ turn_id: tried.id, claim: tried.claim }, false);
    this.enqueuer.go(started);
    await this.calls.wakeCallerOf({ called_by: input?.called_by?.turn_id ?? null });
    this.metrics.hopSeconds.observe({ stage: 'turn', outcome: 'succeeded' }, durationMs / 1000);
    if (answer_id === null) return;
    // Its files are rows, which its own offer does not know.
    if (mayHaveFiles) await this.offers.offerOf(payload.turn_id, payload.custody);
    else if (input?.reply) await this.offers.offerAnswer(payload, answer_id, ending.reply_text, input.reply);
  }

  /** Reschedules a turn that failed, or ends it. @returns what its queue is to do */
  private async settle(
    payload: TurnRunPayload,
    tried: Tried,
    next: TurnSettlement,
    error: unknown,
    durationMs: number,
  ): Promise<RunLater | PermanentFailure> {
    await this.turns.work.persist(() => this.turns.release(next));
    const code = next.reason ?? 'internal_error';
    const message = error instanceof Error ? error.message : String(error);
    if (next.due_in_ms === null) return new PermanentFailure(code, message);
    const note = noteOfFailure(next, tried, this.settings);
    const detail = { error: message.slice(0, 500), ...note?.detail };
    if (note) this.note(payload, tried, note.outcome, code, note.outcome === 'held' ? null : durationMs, detail);
    return new RunLater(next.due_in_ms, code);
  }

  /**
   * Gives the lease back until what the turn waits for is there. Whoever ends the last of the turns that it called wakes
   * it, and so does who answers what a server asks.
   * @returns as `make`
   */
  private async suspend(
    payload: TurnRunPayload,
    tried: Tried,
    suspended: SuspendedTurn,
    durationMs: number,
  ): Promise<number | null> {
    const { on, waitsFor: tools } = suspended;
    if ('lookMs' in suspended) {
      const { lookMs, detail } = suspended;
      const code = on === 'event' ? eventAwaitedCode : callWaitsCode;
      await this.giveBack(payload, tried, code, lookMs, durationMs, detail);
      if (on === 'event') return null;
      await this.mcpCalls.wakeAnswered(tried.id);
      return lookMs;
    }
    if (on === 'people') this.note(payload, tried, 'held', 'waiting_approval', durationMs, { tools });
    else {
      await this.giveBack(payload, tried, agentCalledCode, this.settings.AGENT_CALL_LOOK_MS, durationMs, { tools });
      // One that ended before the lease was given back has woken nobody.
      await this.calls.wake(tried.id);
    }
    return null;
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
    if (tried.reason !== code) this.note(payload, tried, 'held', code, durationMs, detail);
  }

  private note(
    payload: TurnRunPayload,
    tried: Tried,
    outcome: 'retrying' | 'held',
    reason: string,
    durationMs: number | null,
    detail: Record<string, unknown>,
  ): void {
    if (durationMs !== null) this.metrics.hopSeconds.observe({ stage: 'turn', outcome }, durationMs / 1000);
    this.journal.append(entryOf({ ...payload, ...tried }, outcome, reason, detail, durationMs));
  }
}
