import { type ContentTrust, leastTrusted, type TurnInput, type TurnRunPayload } from '#libs/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { SpokenDecisions } from '../approvals/approval.service.js';
import { runLoop } from '../loop/agent-loop.js';
import { ApprovalNeeded } from '../tools/turn-powers.js';
import { RecordedCalls } from '../loop/call-result.js';
import { OutputChecks, ReplyCleaner } from '../loop/answer.js';
import { Compactor, ModelWindows } from '../compaction/compactor.service.js';
import { ContactMemories } from '../memories/contact-memory.repository.js';
import { ModelError, MODELS, type Models } from '../model/model.js';
import { ModelPrices, ModelSpending } from '../model/model-spending.js';
import { Previews } from '../previews/previews.service.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { CalledTurnOpen } from '../tools/agent-tool.js';
import { ATTACHMENTS, type Attachments, CallWaits } from '../tools/tool.js';
import { StepRepository } from '../steps/step.repository.js';
import { TurnBudget, type TurnLimits } from './turn-budget.service.js';
import { noticeOf, repeatedTrust, resultOf, type TurnResult } from './turn-result.js';
import { type SuspendedTurn, TurnSetup, waitsOn } from './turn-setup.service.js';
import { type ClaimedTurn, TurnRepository } from './turn.repository.js';
import type { Claim } from '../../entities/turn.entity.js';
import { conversationOf } from '../prompt/conversation.js';
import { trustOfInput } from '../prompt/prompt.js';

/** What an agent's step of a workflow adds to its turn. */
export interface AgentStep {
  /** Entries of the turn up to here are of earlier steps. */
  afterSeq: number;
  /** What earlier steps gave; null: there is nothing. */
  results: { text: string; trust: ContentTrust } | null;
  /** Whether those who follow the conversation see it being written: it is the last one that may answer. */
  followed: boolean;
}

/** Runs a claimed turn until its ending, which is not committed yet, or until it has to wait. */
@Injectable()
export class TurnRunner {
  private readonly outputs = new OutputChecks();

  constructor(
    private readonly setup: TurnSetup,
    private readonly steps: StepRepository,
    private readonly turns: TurnRepository,
    private readonly spoken: SpokenDecisions,
    private readonly budget: TurnBudget,
    @Inject(MODELS) private readonly models: Models,
    private readonly prices: ModelPrices,
    private readonly spending: ModelSpending,
    private readonly previews: Previews,
    private readonly compactor: Compactor,
    private readonly windows: ModelWindows,
    private readonly known: ContactMemories,
    @Inject(ATTACHMENTS) private readonly attachments: Attachments,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /**
   * @param step the turn is of a workflow with steps, and this is one of them
   * @throws PermanentFailure `turn_timeout`, `day_budget_spent`, `month_budget_spent`, and whatever the loop throws
   */
  async run(
    payload: TurnRunPayload,
    claim: Claim,
    { input, session_id, memory: ofSession }: ClaimedTurn & { input: TurnInput },
    leaseLost: AbortSignal,
    step: AgentStep | null = null,
  ): Promise<TurnResult | SuspendedTurn> {
    const { settings, setup } = this;
    if (input.limit_notice) return noticeOf(payload, claim, input, input.limit_notice);
    const recordedOf = input.trial?.recorded_of;
    const [work, recorded, memory] = await Promise.all([
      setup.of(payload, claim, { input, session_id }, step?.afterSeq),
      recordedOf === undefined ? null : this.steps.of(recordedOf),
      recordedOf === undefined ? ofSession : this.turns.memoryOf(recordedOf),
    ]);
    const { agent, turn, log, stored } = work;
    const before = log.count;
    // The words of a called turn are a model's, which decides nothing.
    const decision = step || input.called_by ? null : await this.spoken.of(turn, input);
    if (decision !== null) {
      const answer = { text: decision, reason: null, output: null, cleaned: null, model: 'none' };
      return resultOf(work, answer, 'own');
    }
    const [{ limits, reserve }, { powers, skills, hosts, remembers }] = await Promise.all([
      this.budget.of(agent, turn),
      setup.powersOf(work),
    ]);
    const { contactId } = turn;
    const known = remembers && turn.trusted && contactId ? await this.known.shown({ ...turn, contactId }) : [];
    const fallbacks = agent.fallback_model === null ? [] : [agent.fallback_model];
    const model = await this.models.forTurn(turn, { model: agent.model, fallbacks });
    const window = await this.windows.of(payload.project_id, model.name ?? '');
    const given = await this.attachments.of(turn, {
      takesImages: model.takesImages === true,
      takesPdf: model.takesPdf === true,
      readsFiles: powers.tools.callable('read_file') !== undefined,
      isRepeated: recordedOf !== undefined,
    });
    const clock = setup.clockOf(limits.wallClockMs);
    const signal = AbortSignal.any([leaseLost, clock.signal]);
    const guard = setup.guardOf(limits.toolCalls);
    const pastChars = settings.TURN_WINDOW_CHARS;
    const results = step?.results ?? null;
    const { instructions } = agent;
    const { files } = given;
    const shown = { instructions, skills, input, files, trustOfFiles: given.trust, known, results };
    const sends = (what: string): boolean => powers.tools.shown.some(({ name }) => name.split('__').at(-1) === what);
    const lacksFiles = sends('send_file') && !turn.takesFiles;
    const lacksInterim = sends('send_interim') && turn.reply?.interim === undefined;
    const parts = { ...shown, pastChars, readOnly: !turn.trusted, lacksFiles, lacksInterim };
    const spends = { log, prices: this.prices, spending: this.spending };
    const remembered = await this.compactor
      .compact({
        ...spends,
        claim,
        model,
        memory,
        trust: leastTrusted(trustOfInput(input), results?.trust ?? 'own'),
        charsOf: (shown) => conversationOf(parts, shown).chars,
        window,
        reserve: reserve && ((inputChars) => reserve({ model, inputChars, unstored: log.unstored, first: true })),
        signal,
        onCompacted: (turns, error) =>
          setup.note(turn, claim, 'conversation_compacted', null, { turns, ...(error === null ? {} : { error }) }),
      })
      .catch((error: unknown) => {
        clock.stop();
        throw this.failureOf(error, clock.signal, limits, log.count - before);
      });
    const conversation = conversationOf(parts, remembered);
    const calls = setup.callsOf(work, {
      given,
      powers,
      guard,
      conversation,
      signal,
      recorded: recorded && new RecordedCalls(recorded, stored),
      takesImages: model.takesImages === true,
    });
    try {
      const result = await runLoop({
        guard,
        log,
        signal,
        calls,
        conversation,
        cleaner: new ReplyCleaner(hosts, input),
        output: input.output_schema ? this.outputs.of(input.output_schema) : null,
        stored,
        preview: this.previews.begin(claim, step?.followed === false ? null : session_id),
        model,
        prices: this.prices,
        spending: this.spending,
        window,
        maxSteps: limits.steps,
        maxTokens: limits.tokens,
        maxCostMicros: limits.costMicros,
        reserve,
        maxShortenings: settings.TURN_MAX_SHORTENINGS,
        passed: [],
        onPassed: (answered, { model: passed, key, why, code }) =>
          setup.note(turn, claim, 'model_passed', null, {
            model: passed,
            key,
            code,
            error: why.slice(0, 500),
            answered,
          }),
        onShortened: (level, chars) =>
          setup.note(turn, claim, 'conversation_shortened', null, { level, left_out_chars: chars }),
      });
      const repeated = repeatedTrust(result.text, { ...remembered, known }, pastChars);
      const read = leastTrusted(results?.trust ?? 'own', calls.readTrust, repeated);
      // Whoever asked this turn, and a later step, know nothing of its window but this.
      const seen = step || input.called_by ? calls.window : 'own';
      const trust = leastTrusted(trustOfInput(input), given.trust, read, seen);
      const { withheld } = powers;
      const lacked = withheld && { withheld: withheld.names, withheld_since: withheld.why };
      return resultOf(work, result, trust, lacked);
    } catch (error) {
      if (error instanceof CalledTurnOpen) return { waitsFor: [error.tool], on: 'agents' };
      if (error instanceof CallWaits) return waitsOn(error);
      if (error instanceof ApprovalNeeded) return await setup.suspend(work, error.calls, powers);
      throw this.failureOf(error, clock.signal, limits, log.count - before);
    } finally {
      clock.stop();
    }
  }

  /**
   * The turn's time may run out before its first step, although the model (or the model and then its fallback) had time
   * to answer. Then the model is away, and the turn itself did not take too long.
   */
  private failureOf(error: unknown, clock: AbortSignal, { wallClockMs }: TurnLimits, newSteps: number): unknown {
    if (error !== clock.reason || newSteps > 0 || wallClockMs < this.settings.MODEL_TIMEOUT_MS) return error;
    return new ModelError('model_timeout', `no answer within ${wallClockMs} ms`, { cause: error });
  }
}
