import {
  columnsOf,
  isUntrusted,
  leastTrusted,
  type NormalizedMessage,
  scopeOf,
  type TurnInput,
  type TurnRunPayload,
} from '#libs/contracts';
import { Journal } from '#libs/journal';
import { PermanentFailure } from '#libs/queue';
import { linksIn } from '#libs/sanitizer';
import { LeaseLost } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { AgentDirectory } from '../agents/agent-directory.js';
import type { Agent } from '../../entities/agent.entity.js';
import { ApprovalRepository } from '../approvals/approval.repository.js';
import { SpokenDecisions } from '../approvals/approval.service.js';
import { runLoop } from '../loop/agent-loop.js';
import { ApprovalNeeded } from '../tools/turn-powers.js';
import { CallGuard } from '../loop/call-guard.js';
import { CallMaker } from '../loop/call-maker.js';
import { RecordedCalls } from '../loop/call-result.js';
import { OutputChecks, ReplyCleaner } from '../loop/answer.js';
import { StepLog } from '../steps/step-log.js';
import { Compactor, type Memory } from '../compaction/compactor.service.js';
import { ModelWindows } from '../compaction/model-windows.js';
import { ModelError, MODELS, type Models } from '../model/model.js';
import { ModelPrices, ModelSpending } from '../model/model-spending.js';
import { Previews } from '../previews/previews.service.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { ArgumentCheck } from '../tools/argument-check.js';
import type { TurnAttachment, TurnScope } from '../tools/tool.js';
import { TurnToolService } from '../tools/turn-tool.service.js';
import { StepRepository } from '../steps/step.repository.js';
import { TurnBudget, type TurnLimits } from './turn-budget.service.js';
import { noticeOf, repeatedTrust, resultOf, type TurnResult } from './turn-result.js';
import { type ClaimedTurn, TurnRepository } from './turn.repository.js';
import type { Claim } from '../../entities/turn.entity.js';
import { Conversation } from '../prompt/conversation.js';
import { buildPrompt, type PromptParts, trustOfInput, type WindowTurn } from '../prompt/prompt.js';

/** The turn gave up its lease: people have to decide on these calls. */
export interface SuspendedTurn {
  waitsFor: string[];
}

/** Runs a claimed turn until its ending, which is not committed yet, or until it has to wait. */
@Injectable()
export class TurnRunner {
  private readonly outputs = new OutputChecks();

  constructor(
    private readonly agents: AgentDirectory,
    private readonly steps: StepRepository,
    private readonly turns: TurnRepository,
    private readonly approvals: ApprovalRepository,
    private readonly spoken: SpokenDecisions,
    private readonly tools: TurnToolService,
    private readonly budget: TurnBudget,
    private readonly check: ArgumentCheck,
    @Inject(MODELS) private readonly models: Models,
    private readonly prices: ModelPrices,
    private readonly spending: ModelSpending,
    private readonly previews: Previews,
    private readonly compactor: Compactor,
    private readonly windows: ModelWindows,
    private readonly journal: Journal,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** @throws PermanentFailure `turn_timeout`, `day_budget_spent`, and whatever the loop throws */
  async run(
    payload: TurnRunPayload,
    claim: Claim,
    { input, session_id, memory: ofSession }: ClaimedTurn & { input: TurnInput },
    leaseLost: AbortSignal,
  ): Promise<TurnResult | SuspendedTurn> {
    const { settings } = this;
    if (input.limit_notice) return noticeOf(payload, claim, input, input.limit_notice);
    const isRetry = claim.claim > 1;
    const recordedOf = input.trial?.recorded_of;
    const [agent, stored, approvals, recorded, memory] = await Promise.all([
      this.agentOf(payload, input),
      isRetry ? this.steps.of(payload.turn_id) : [],
      isRetry ? this.approvals.ofTurn(payload.turn_id) : new Map(),
      recordedOf === undefined ? null : this.steps.of(recordedOf),
      recordedOf === undefined ? ofSession : this.turns.memoryOf(recordedOf),
    ]);
    const turn = turnScope(payload, session_id, input, agent);
    const account = { agentId: agent.id, agentVersion: agent.version, contactId: turn.contactId };
    const log = new StepLog(stored, (steps) => this.steps.append(claim, steps, account));
    const decision = await this.spoken.of(turn, input);
    if (decision !== null) {
      const answer = { text: decision, reason: null, output: null, cleaned: null, model: 'none' };
      return resultOf({ turn, agent, claim, input, log }, answer, 'own');
    }
    const [{ limits, reserve }, { powers, skills, hosts }] = await Promise.all([
      this.budget.of(agent, turn),
      this.tools.forTurn(agent, turn, namedBy(turn, input)),
    ]);
    const fallbacks = agent.fallback_model === null ? [] : [agent.fallback_model];
    const model = await this.models.forTurn(turn, { model: agent.model, fallbacks });
    const window = await this.windows.of(payload.project_id, model.name ?? '');
    const clock = new AbortController();
    const timer = setTimeout(
      () => clock.abort(new PermanentFailure('turn_timeout', `the turn took over ${limits.wallClockMs} ms`)),
      limits.wallClockMs,
    );
    const signal = AbortSignal.any([leaseLost, clock.signal]);
    const guard = new CallGuard(limits.toolCalls, settings.TURN_MAX_SAME_READS);
    const shared = { guard, log, signal };
    const pastChars = settings.TURN_WINDOW_CHARS;
    const parts = { instructions: agent.instructions, skills, input, pastChars, readOnly: !turn.trusted };
    const spends = { log, prices: this.prices, spending: this.spending };
    const remembered = await this.compactor
      .compact({
        ...spends,
        claim,
        model,
        memory,
        trust: trustOfInput(input),
        charsOf: (shown) => conversationOf(parts, shown).chars,
        window,
        reserve: reserve && ((inputChars) => reserve({ inputChars, unstored: log.unstored, first: true })),
        signal,
        onCompacted: (turns, error) =>
          this.note(turn, claim, 'conversation_compacted', null, { turns, ...(error === null ? {} : { error }) }),
      })
      .catch((error: unknown) => {
        clearTimeout(timer);
        throw this.failureOf(error, clock.signal, limits, log.count - stored.length);
      });
    const conversation = conversationOf(parts, remembered);
    const calls = new CallMaker({
      ...shared,
      turn,
      conversation,
      powers,
      check: this.check,
      approvals,
      recorded: recorded && new RecordedCalls(recorded, stored),
      limits: {
        shown: settings.TOOL_RESULT_BYTES,
        kept: settings.TOOL_RESULT_KEPT_BYTES,
        parallel: settings.TURN_PARALLEL_CALLS,
        imageBytes: model.takesImages ? settings.TURN_IMAGE_BYTES : 0,
      },
      onCall: (tool, outcome, durationMs, note = null) =>
        this.note(turn, claim, outcome === 'ok' ? 'tool_called' : `tool_${outcome}`.slice(0, 100), durationMs, {
          tool,
          ...(note === null ? {} : { note }),
        }),
      onProgress: (tool, progress) => this.note(turn, claim, 'tool_running', null, { tool, note: progress }),
      onLessTrusted: (tool, trust, withheld) =>
        this.note(turn, claim, `${trust}_content_read`, null, {
          tool,
          ...(withheld.length === 0 ? {} : { withheld, withheld_since: powers.nobody }),
        }),
    });
    try {
      const result = await runLoop({
        ...shared,
        calls,
        conversation,
        cleaner: new ReplyCleaner(hosts, input),
        output: input.output_schema ? this.outputs.of(input.output_schema) : null,
        stored,
        preview: this.previews.begin(claim, session_id),
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
        onPassed: (answered, { model: passed, why, code }) =>
          this.note(turn, claim, 'model_passed', null, { model: passed, code, error: why.slice(0, 500), answered }),
        onShortened: (level, chars) =>
          this.note(turn, claim, 'conversation_shortened', null, { level, left_out_chars: chars }),
      });
      const repeated = repeatedTrust(result.text, remembered, pastChars);
      const trust = leastTrusted(trustOfInput(input), calls.readTrust, repeated);
      const { withheld } = powers;
      const lacked = withheld && { withheld: withheld.names, withheld_since: withheld.why };
      return resultOf({ turn, agent, claim, input, log }, result, trust, lacked);
    } catch (error) {
      if (!(error instanceof ApprovalNeeded))
        throw this.failureOf(error, clock.signal, limits, log.count - stored.length);
      const { APPROVAL_WAIT_MS: waitMs } = settings;
      const { approvers_decide_own: decideOwn } = agent;
      const by = { approvers: powers.approvers, startedBy: turn.startedBy, agentId: agent.id, decideOwn };
      const held = await this.approvals.suspend(claim, error.calls, by, waitMs);
      if (!held) throw new LeaseLost('the lease was lost');
      return { waitsFor: error.calls.map((call) => call.tool) };
    } finally {
      clearTimeout(timer);
    }
  }

  private async agentOf(
    { organization_id, project_id, agent_id = null }: TurnRunPayload,
    input: TurnInput,
  ): Promise<Agent> {
    const agent = await this.agents.forTurn(organization_id, project_id, agent_id);
    return input.trial ? this.agents.asTried(agent, input.trial) : agent;
  }

  /**
   * The turn's time may run out before its first step, although the model (or the model and then its fallback) had time
   * to answer. Then the model is away, and the turn itself did not take too long.
   */
  private failureOf(error: unknown, clock: AbortSignal, { wallClockMs }: TurnLimits, newSteps: number): unknown {
    if (error !== clock.reason || newSteps > 0 || wallClockMs < this.settings.MODEL_TIMEOUT_MS) return error;
    return new ModelError('model_timeout', `no answer within ${wallClockMs} ms`, { cause: error });
  }

  /** Reports progress on the timeline while the turn runs. */
  private note(turn: TurnScope, claim: Claim, reason: string, durationMs: number | null, detail: object): void {
    this.journal.append({
      receipt_id: turn.receiptId,
      ...columnsOf(turn),
      app_id: turn.appId,
      stage: 'turn',
      outcome: 'running',
      reason,
      subject_id: turn.turnId,
      attempt: claim.claim,
      duration_ms: durationMs,
      detail: { ...detail, ...(turn.rehearsal ? { rehearsal: true } : {}) },
    });
  }
}

/** Hosts of the addresses that a trusted sender wrote: whoever asks for a page has named it. */
function namedBy({ trusted }: TurnScope, input: TurnInput): string[] {
  if (!trusted || isUntrusted(input)) return [];
  const links = [...(input.earlier ?? []), input.message].flatMap(({ message }) => linksIn(message));
  return [...new Set(links.filter((link) => URL.canParse(link)).map((link) => new URL(link).host))];
}

/** A sender is trusted when it is admitted and its system was authenticated. Both must be stated in the input. */
function turnScope(payload: TurnRunPayload, sessionId: string | null, input: TurnInput, agent: Agent): TurnScope {
  const trust = input.trust ?? 'unknown';
  return {
    ...scopeOf(payload),
    turnId: payload.turn_id,
    receiptId: payload.receipt_id,
    appId: payload.app_id,
    sessionId,
    agentId: agent.id,
    contactId: input.contact_id ?? null,
    sender: input.message.sender,
    trust,
    trusted: input.verified && trust !== 'unknown',
    rehearsal: input.rehearsal === true,
    startedBy: [...(input.contact_id ? [`contact:${input.contact_id}`] : []), ...(input.started_by ?? [])],
    attachments: [input.message, ...(input.earlier ?? [])].flatMap(attachmentsOf),
  };
}

function attachmentsOf({ metadata }: NormalizedMessage): TurnAttachment[] {
  const attachments = metadata?.['attachments'];
  if (!Array.isArray(attachments)) return [];
  return (attachments as unknown[]).flatMap((each) => {
    const { id, name, content_type: type, fetch_ref: ref } = (each ?? {}) as Record<string, unknown>;
    if (typeof id !== 'string' || id === '') return [];
    const text = (value: unknown): string => (typeof value === 'string' ? value : '');
    return [{ id, name: text(name), contentType: text(type), fetchRef: text(ref) || null }];
  });
}

/** A turn's conversation with its model. The summary is always part of it; earlier turns are, as far as there is room. */
function conversationOf(
  parts: Omit<PromptParts, 'past' | 'summary' | 'ownChars'>,
  { past, summary }: Memory,
): Conversation {
  const pastAt = (share: number): WindowTurn[] => past.slice(past.length - Math.floor(past.length * share));
  const text = summary?.text ? summary.text : null;
  const trustOfSummary = text === null ? 'own' : (summary?.content_trust ?? 'own');
  const trusted = trustOfInput(parts.input);
  return new Conversation(
    (shown) => buildPrompt({ ...parts, summary: text, past: pastAt(shown.past), ownChars: shown.ownChars }),
    (shown) => leastTrusted(trusted, trustOfSummary, ...pastAt(shown.past).map((earlier) => earlier.content_trust)),
  );
}
