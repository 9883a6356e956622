import {
  columnsOf,
  type ContentTrust,
  contentTrusts,
  leastTrusted,
  type TurnInput,
  type TurnRunPayload,
  type WorkflowStep,
} from '#libs/contracts';
import { Journal } from '#libs/journal';
import { PermanentFailure } from '#libs/queue';
import { LeaseLost } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { AgentDirectory } from '../agents/agent-directory.js';
import type { Agent } from '../../entities/agent.entity.js';
import type { DecidedCall } from '../../entities/approval.entity.js';
import type { Claim, Step, WorkflowStepRow } from '../../entities/turn.entity.js';
import { ApprovalRepository } from '../approvals/approval.repository.js';
import { CallGuard } from '../loop/call-guard.js';
import { CallMaker, type CallMakerInput } from '../loop/call-maker.js';
import { namedDocuments } from '../loop/call-result.js';
import type { OpenStep } from '../loop/replay.js';
import type { ToolCall } from '../model/model.js';
import { trustOfInput } from '../prompt/prompt.js';
import { trustOfArguments, type StepAccount, StepRepository } from '../steps/step.repository.js';
import { StepLog } from '../steps/step-log.js';
import { ArgumentCheck } from '../tools/argument-check.js';
import { CalledTurnOpen } from '../tools/agent-tool.js';
import { CallWaits, MCP_CALLS, type McpCalls, namedBy, turnScope, type TurnScope } from '../tools/tool.js';
import { ApprovalNeeded, type AskedCall, type TurnPowers } from '../tools/turn-powers.js';
import { TurnToolService } from '../tools/turn-tool.service.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { TurnBudget } from './turn-budget.service.js';
import type { ClaimedTurn } from './turn.repository.js';

/** A claimed turn, or the part of it that a step of a workflow is. */
export interface TurnWork {
  turn: TurnScope;
  agent: Agent;
  claim: Claim;
  input: TurnInput;
  /** Whom its usage is counted for. */
  account: StepAccount;
  log: StepLog;
  /** What earlier claims have stored of it. */
  stored: Step[];
  /** Decisions on its calls, by the call's reference. */
  approvals: Map<string, DecidedCall>;
  /** References of its calls that wait. */
  waiting: ReadonlySet<string>;
}

/**
 * The turn waits. It gave up its lease until people have decided on these calls; or it is to, until agents have answered,
 * an event has come or a server has answered, and then looks again after `lookMs` should nobody wake it.
 */
export type SuspendedTurn =
  | { waitsFor: string[]; on: 'people' | 'agents' }
  | { waitsFor: string[]; on: 'event' | 'server'; lookMs: number; detail: Record<string, unknown> };

/** What a claim of a run works on. */
export interface ClaimedRun extends ClaimedTurn {
  input: TurnInput;
  steps: readonly WorkflowStep[];
}

/** A step that is being done, and the run it is of. */
export interface StepOfRun {
  payload: TurnRunPayload;
  claim: Claim;
  run: ClaimedRun;
  step: WorkflowStep;
  row: WorkflowStepRow;
  /** Those before it. */
  before: WorkflowStepRow[];
}

export interface MadeCall {
  result: unknown;
  content_trust: ContentTrust;
  account: StepAccount;
}

/** The payload as the step's own agent has it. */
export function payloadOf(payload: TurnRunPayload, { agent_id }: WorkflowStep): TurnRunPayload {
  return agent_id === undefined ? payload : { ...payload, agent_id };
}

type OwnParts = Pick<CallMakerInput, 'conversation' | 'given' | 'recorded' | 'signal'> & {
  powers: TurnPowers;
  guard: CallGuard;
  takesImages: boolean;
};

/** What a turn needs, whoever decides on its calls: a model, or a step of a workflow. */
@Injectable()
export class TurnSetup {
  constructor(
    private readonly agents: AgentDirectory,
    private readonly steps: StepRepository,
    private readonly approvals: ApprovalRepository,
    private readonly tools: TurnToolService,
    private readonly budget: TurnBudget,
    private readonly check: ArgumentCheck,
    @Inject(MCP_CALLS) private readonly mcpCalls: McpCalls,
    private readonly journal: Journal,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** @param afterSeq entries up to here are of earlier steps of a workflow */
  async of(
    payload: TurnRunPayload,
    claim: Claim,
    { input, session_id }: Pick<ClaimedTurn, 'session_id'> & { input: TurnInput },
    afterSeq = 0,
  ): Promise<TurnWork> {
    const isRetry = claim.claim > 1;
    const [agent, all, approvals, waiting] = await Promise.all([
      this.agentOf(payload, input),
      isRetry ? this.steps.of(payload.turn_id) : [],
      isRetry ? this.approvals.ofTurn(payload.turn_id) : new Map<string, DecidedCall>(),
      isRetry ? this.mcpCalls.ofTurn(payload.turn_id) : new Set<string>(),
    ]);
    const turn = turnScope(payload, session_id, input, agent);
    const account = { agentId: agent.id, agentVersion: agent.version, contactId: turn.contactId };
    const log = new StepLog(all, (steps) => this.steps.append(claim, steps, account), afterSeq);
    const stored = all.filter(({ seq }) => seq > afterSeq);
    return { turn, agent, claim, input, account, log, stored, approvals, waiting };
  }

  powersOf({ agent, turn, input }: TurnWork): ReturnType<TurnToolService['forTurn']> {
    return this.tools.forTurn(agent, turn, namedBy(turn, input));
  }

  guardOf(maxCalls: number): CallGuard {
    return new CallGuard(maxCalls, this.settings.TURN_MAX_SAME_READS);
  }

  /** @throws its signal `turn_timeout` once the time is over */
  clockOf(wallClockMs: number): { signal: AbortSignal; stop: () => void } {
    const clock = new AbortController();
    const late = (): void => clock.abort(new PermanentFailure('turn_timeout', `the turn took over ${wallClockMs} ms`));
    const timer = setTimeout(late, wallClockMs);
    return { signal: clock.signal, stop: () => clearTimeout(timer) };
  }

  callsOf(work: TurnWork, { takesImages, powers, ...parts }: OwnParts): CallMaker {
    const { settings } = this;
    const { turn, claim, log, approvals, waiting } = work;
    return new CallMaker({
      ...parts,
      turn,
      claim,
      log,
      powers,
      check: this.check,
      approvals,
      waiting,
      limits: {
        shown: settings.TOOL_RESULT_BYTES,
        kept: settings.TOOL_RESULT_KEPT_BYTES,
        parallel: settings.TURN_PARALLEL_CALLS,
        imageBytes: takesImages ? settings.TURN_IMAGE_BYTES : 0,
      },
      onCall: (tool, outcome, durationMs, { note, documents } = { note: null, documents: [] }) =>
        this.note(turn, claim, outcome === 'ok' ? 'tool_called' : `tool_${outcome}`.slice(0, 100), durationMs, {
          tool,
          ...(note === null ? {} : { note }),
          ...(documents.length === 0 ? {} : { documents: documents.slice(0, namedDocuments) }),
        }),
      onProgress: (tool, progress) => this.note(turn, claim, 'tool_running', null, { tool, note: progress }),
      onLessTrusted: (tool, trust, withheld) =>
        this.note(turn, claim, `${trust}_content_read`, null, {
          tool,
          ...(withheld.length === 0 ? {} : { withheld, withheld_since: powers.nobody }),
        }),
    });
  }

  /**
   * Gives the lease up until people have decided.
   * @param by.waitMs absent: as long as calls wait
   * @throws LeaseLost
   */
  async suspend(
    { turn, agent, claim }: TurnWork,
    calls: AskedCall[],
    by: { approvers: string[]; waitMs?: number },
  ): Promise<SuspendedTurn> {
    const { approvers, waitMs = this.settings.APPROVAL_WAIT_MS } = by;
    const asker = { approvers, startedBy: turn.startedBy, agentId: agent.id, decideOwn: agent.approvers_decide_own };
    const held = await this.approvals.suspend(claim, calls, asker, waitMs);
    if (!held) throw new LeaseLost('the lease was lost');
    return { waitsFor: calls.map(({ tool }) => tool), on: 'people' };
  }

  /**
   * Makes the call of a workflow's step under the rules of every call: the same checks, approvals, audit and trust, its
   * intent committed before it and its result after it. So it is not repeated where that could repeat an effect.
   * @param row as it was begun
   * @throws LeaseLost, or the signal's reason
   */
  async makeCall(
    { payload, claim, run, step, before }: StepOfRun,
    row: WorkflowStepRow,
    args: Record<string, unknown>,
    leaseLost: AbortSignal,
  ): Promise<SuspendedTurn | MadeCall> {
    const seq = row.after_seq ?? 0;
    const set = await this.of(payloadOf(payload, step), claim, run, seq);
    const [{ limits }, { powers }] = await Promise.all([this.budget.of(set.agent, set.turn), this.powersOf(set)]);
    const clock = this.clockOf(limits.wallClockMs);
    const window = trustOfArguments(step, trustOfInput(run.input), before);
    const calls = this.callsOf(set, {
      powers,
      guard: this.guardOf(limits.toolCalls),
      conversation: { trust: window },
      given: { files: [], leftOut: [], trust: 'own' },
      recorded: null,
      signal: AbortSignal.any([leaseLost, clock.signal]),
      takesImages: false,
    });
    const call = calls.read({ id: step.name, name: step.tool ?? '', arguments: args });
    const { trust, ...known } = callIn(set.stored, call);
    try {
      const open = { ...known, seq, window };
      await calls.make(open);
      const content_trust = leastTrusted(window, calls.readTrust, trust);
      return { result: open.results.get(call.id), content_trust, account: set.account };
    } catch (error) {
      if (error instanceof CalledTurnOpen) return { waitsFor: [error.tool], on: 'agents' };
      if (error instanceof CallWaits) return waitsOn(error);
      if (error instanceof ApprovalNeeded) return await this.suspend(set, error.calls, powers);
      throw error;
    } finally {
      clock.stop();
    }
  }

  /** Reports progress on the timeline while the turn runs. */
  note(turn: TurnScope, claim: Claim, reason: string, durationMs: number | null, detail: object): void {
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

  private async agentOf(
    { organization_id, project_id, agent_id = null }: TurnRunPayload,
    input: TurnInput,
  ): Promise<Agent> {
    const agent = await this.agents.forTurn(organization_id, project_id, agent_id);
    return input.trial ? this.agents.asTried(agent, input.trial) : agent;
  }
}

/** As a call that has no result yet says it. */
export function waitsOn({ tool, lookMs, detail }: CallWaits): SuspendedTurn {
  return { waitsFor: [tool], on: 'server', lookMs, detail: { tools: [tool], ...detail } };
}

/** The one call of a step, and what earlier claims have stored of it. */
function callIn(stored: readonly Step[], call: ToolCall): Omit<OpenStep, 'seq' | 'window'> & { trust: ContentTrust } {
  const results = new Map<string, unknown>();
  const begun = new Map<string, { seq: number; at: Date }>();
  let trust: ContentTrust = 'own';
  for (const { kind, seq, content, created_at: at } of stored) {
    if (kind === 'tool_call') begun.set(call.id, { seq, at });
    if (kind !== 'tool_result') continue;
    results.set(call.id, content['result']);
    trust = contentTrusts.find((each) => each === content['trust']) ?? 'own';
  }
  return { calls: [call], results, images: new Map(), begun, trust };
}
