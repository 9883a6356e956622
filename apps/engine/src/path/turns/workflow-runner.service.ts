import {
  type ContentTrust,
  isDependedOn,
  leastTrusted,
  type TurnRunPayload,
  type WorkflowStep,
  type WorkflowStepKind,
} from '#libs/contracts';
import { Database } from '#libs/database';
import { filledWith, StepExpressionError, valueOf } from '#libs/expressions';
import { Journal } from '#libs/journal';
import { PermanentFailure } from '#libs/queue';
import { LeaseLost } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import type { Claim, WorkflowStepRow } from '../../entities/turn.entity.js';
import type { LoopResult } from '../loop/agent-loop.js';
import { trustOfInput } from '../prompt/prompt.js';
import type { NewStep } from '../steps/step-log.js';
import {
  type StepAccount,
  StepRepository,
  isWanted,
  resultsOf,
  type StepEnd,
  stepInputOf,
  trustOfSteps,
  WorkflowStepRepository,
} from '../steps/step.repository.js';
import { isFailure } from '../tools/tool.js';
import { AwaitedEvents, waitedFor } from './awaited-events.service.js';
import { resultOf, type TurnResult } from './turn-result.js';
import { TurnRunner } from './turn-runner.service.js';
import { type ClaimedRun, payloadOf, type StepOfRun, type SuspendedTurn, TurnSetup } from './turn-setup.service.js';
import { TurnRepository } from './turn.repository.js';
import { postponed, type Tried } from './turn.verdict.js';

/** The step has ended and the turn is queued: the next job does the next step. */
export interface StepDone {
  continues: true;
}

/** A step, and the claim that does it. */
interface Work extends StepOfRun {
  tried: Tried;
  leaseLost: AbortSignal;
}

/** Of a turn that failed at a step. Why the step failed, its row says. */
const failedCode = 'step_failed';

/**
 * Runs a turn whose workflow has steps. A claim does one of them, and those before it that only decide. What it gave is
 * committed together with the turn's return to the queue: a process that dies repeats at most the step that it was at,
 * and that one goes on from what it has stored. When all have ended, the turn ends with what the last agent answered.
 */
@Injectable()
export class WorkflowRunner {
  private readonly acts: Readonly<
    Record<WorkflowStepKind, (work: Work) => Promise<SuspendedTurn | StepDone | WorkflowStepRow>>
  > = {
    agent: (work) => this.agent(work),
    tool: (work) => this.tool(work),
    approval: (work) => this.approval(work),
    branch: (work) => this.branch(work),
    wait: (work) => this.wait(work),
  };

  constructor(
    private readonly runner: TurnRunner,
    private readonly setup: TurnSetup,
    private readonly rows: WorkflowStepRepository,
    private readonly turns: TurnRepository,
    private readonly steps: StepRepository,
    private readonly db: Database,
    private readonly journal: Journal,
    private readonly events: AwaitedEvents,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** @throws PermanentFailure `step_failed`, LeaseLost, and what the runner of turns throws */
  async run(
    payload: TurnRunPayload,
    tried: Tried,
    run: ClaimedRun,
    leaseLost: AbortSignal,
  ): Promise<TurnResult | SuspendedTurn | StepDone> {
    const claim = { turn_id: tried.id, claim: tried.claim };
    const rows = await this.rows.open(claim, run.steps);
    for (const [index, step] of run.steps.entries()) {
      const row = rows[index];
      if (!row || row.state === 'done' || row.state === 'skipped') continue;
      if (row.state === 'dead') throw failedAt(step, row.reason ?? failedCode);
      const work = { payload, tried, claim, run, step, row, before: rows.slice(0, index), leaseLost };
      const outcome = isWanted(step, work.before) ? await this.acts[step.kind](work) : await this.skip(work);
      if (!('position' in outcome)) return outcome;
      rows[index] = outcome;
    }
    return this.conclude(payload, claim, run, rows);
  }

  /** An agent works on the message, and on what the steps before it gave. */
  private async agent(work: Work): Promise<SuspendedTurn | StepDone> {
    const { payload, tried, claim, run, step, before, leaseLost } = work;
    const instructions = [run.input.instructions, step.instructions].filter(Boolean).join('\n\n');
    const row = await this.rows.begin(claim, work.row, 'running', { instructions });
    const followed = isLastAgent(run.steps, row);
    const { output_schema, ...rest } = run.input;
    const input = { ...rest, instructions, ...(followed && output_schema ? { output_schema } : {}) };
    const given = this.given(before);
    const results = given && { text: JSON.stringify(given, null, 1), trust: trustOfSteps(before) };
    const part = { afterSeq: row.after_seq ?? 0, results, followed };
    const result = await this.runner.run(payloadOf(payload, step), claim, { ...run, input }, leaseLost, part);
    if ('waitsFor' in result) return result;
    const { reply_text: text, output, content_trust, reason, new_steps, answer_id, ...by } = result.ending;
    const mark = answer_id !== null || text === '' ? reason : null;
    const gave = { text, ...(output === null ? {} : { output }) };
    const account = { agentId: by.agent_id, agentVersion: by.agent_version ?? 0, contactId: by.contact_id || null };
    const end = { state: 'done', output: gave, content_trust, reason: mark } as const;
    await this.endAndQueue(tried, row, end, new_steps, account);
    this.note(work, 'step_done', { ...(mark === null ? {} : { note: mark }), cleaned: result.cleaned });
    return { continues: true };
  }

  /** One call, under the rules of every call: it is never made twice where that could repeat an effect. */
  private async tool(work: Work): Promise<SuspendedTurn | StepDone> {
    const { tried, claim, run, step, before, leaseLost } = work;
    const fixed = work.row.input?.['arguments'];
    const args =
      fixed ?? (await this.read(work, () => filledWith(step.arguments ?? {}, stepInputOf(run.input, before))));
    const row = await this.rows.begin(claim, work.row, 'running', { tool: step.tool, arguments: args });
    const made = await this.setup.makeCall(work, row, args as Record<string, unknown>, leaseLost);
    if ('waitsFor' in made) return made;
    const { result, content_trust, account } = made;
    if (isFailure(result)) return this.fail(work, result.error.code, result.error.message, { result });
    await this.endAndQueue(tried, row, { state: 'done', output: { result }, content_trust, reason: null }, [], account);
    this.note(work, 'step_done', { tool: step.tool });
    return { continues: true };
  }

  /** A person decides. The answer no ends the run, unless a later step depends on it. */
  private async approval(work: Work): Promise<SuspendedTurn | WorkflowStepRow> {
    const { payload, claim, run, step, before } = work;
    const text = step.text ?? '';
    const row = work.row.state === 'waiting' ? work.row : await this.rows.begin(claim, work.row, 'waiting', { text });
    // A rehearsal asks nobody.
    if (run.input.rehearsal) return this.decided({ ...work, row }, true, { is: true, decision: 'rehearsed' });
    const set = await this.setup.of(payload, claim, run);
    // It was stored before the question, so whoever comes back asks the same one.
    const ref = `step.${row.position}.${row.claim}`;
    const decision = set.approvals.get(ref)?.state ?? 'pending';
    if (decision === 'pending') {
      const approvers = step.approvers ?? set.agent.approvers;
      if (approvers.length === 0) return this.fail(work, 'no_approvers', 'neither the step nor the agent names any');
      const args = { question: text, ...(before.length === 0 ? {} : { so_far: this.given(before) ?? {} }) };
      const asked = { ref, tool: step.name, pin: null, grade: 'write', reason: 'workflow_step', args } as const;
      const waitMs = step.wait_minutes === undefined ? {} : { waitMs: step.wait_minutes * 60_000 };
      return this.setup.suspend(set, [asked], { approvers, ...waitMs });
    }
    const is = decision === 'approved';
    if (!is && !isDependedOn(run.steps, step.name))
      return this.fail(work, `approval_${decision}`, `it was ${decision}`);
    return this.decided(work, is, { is, decision });
  }

  private async branch(work: Work): Promise<WorkflowStepRow> {
    const { run, step, before } = work;
    const is = await this.read(work, () => valueOf(step.where ?? '', 'bool', stepInputOf(run.input, before)));
    if (typeof is !== 'boolean') return this.fail(work, 'expression_failed', 'it is neither true nor false');
    return this.decided(work, is, { is });
  }

  /** Meanwhile the turn holds nothing: whoever decides the wait wakes it. */
  private async wait(work: Work): Promise<SuspendedTurn | WorkflowStepRow> {
    const { claim, step } = work;
    const begun = work.row.state === 'waiting';
    const row = begun ? work.row : await this.rows.begin(claim, work.row, 'waiting', waitedFor(step));
    const outcome = await this.events.ask(work, row);
    if ('failed' in outcome) return this.fail(work, outcome.failed, outcome.why);
    if ('waitsFor' in outcome) return outcome;
    return this.decided(work, outcome.is, outcome.output, outcome.trust);
  }

  private async decided(
    work: Work,
    is: boolean,
    output: Record<string, unknown>,
    content_trust: ContentTrust = 'own',
  ): Promise<WorkflowStepRow> {
    const end = { state: 'done', output, content_trust, reason: null } as const;
    const row = await this.rows.end(work.claim, work.row, end);
    this.note(work, 'step_done', { is });
    return row;
  }

  private async skip(work: Work): Promise<WorkflowStepRow> {
    const { claim, row, step } = work;
    const reason = `not_wanted`;
    const skipped = await this.rows.end(claim, row, { state: 'skipped', output: null, content_trust: 'own', reason });
    this.note(work, 'step_skipped', { after: step.only_if?.step });
    return skipped;
  }

  /** @throws PermanentFailure once the step's row says why */
  private async fail(
    work: Work,
    code: string,
    message: string,
    output: Record<string, unknown> | null = null,
  ): Promise<never> {
    const { claim, row, step } = work;
    await this.rows.end(claim, row, { state: 'dead', output, content_trust: 'untrusted', reason: code });
    throw failedAt(step, `${code}: ${message}`);
  }

  /** The value of expressions; the step fails where they have none. */
  private async read<T>(work: Work, value: () => T): Promise<T> {
    try {
      return value();
    } catch (error) {
      if (!(error instanceof StepExpressionError)) throw error;
      return this.fail(work, 'expression_failed', error.message);
    }
  }

  /** All steps have ended, and so does the turn. */
  private async conclude(
    payload: TurnRunPayload,
    claim: Claim,
    run: ClaimedRun,
    rows: WorkflowStepRow[],
  ): Promise<TurnResult> {
    const set = await this.setup.of(payload, claim, run);
    const answer = rows.findLast(({ kind, state }) => kind === 'agent' && state === 'done');
    const { text = '', output = null } = (answer?.output ?? {}) as Partial<Pick<LoopResult, 'text' | 'output'>>;
    const model = set.stored.findLast(({ kind }) => kind === 'model_call')?.content['model'];
    const by = typeof model === 'string' ? model : 'none';
    const answered = { text, output, reason: answer?.reason ?? null, cleaned: null, model: by };
    return resultOf(set, answered, leastTrusted(trustOfInput(run.input), trustOfSteps(rows)));
  }

  private given(rows: WorkflowStepRow[]): Record<string, unknown> | null {
    return resultsOf(rows, this.settings.TURN_WINDOW_CHARS);
  }

  /**
   * Commits what a step did and gave, and queues its turn with all tries for the next one.
   * @param newSteps entries of the turn that are not stored yet
   * @throws LeaseLost when nothing was stored
   */
  private async endAndQueue(
    tried: Tried,
    row: WorkflowStepRow,
    end: StepEnd,
    newSteps: NewStep[],
    account: StepAccount,
  ): Promise<void> {
    const claim = { turn_id: tried.id, claim: tried.claim };
    await this.db.transaction(async (tx) => {
      if (newSteps.length > 0 && !(await this.steps.append(claim, newSteps, account, tx)))
        throw new LeaseLost('the lease was lost');
      await this.rows.end(claim, row, end, tx);
      // Its process has survived it, so it is no suspect for what comes next.
      const fresh = { ...tried, tries: 0, waits: 0, unreadable: 0 };
      await tx.query('UPDATE engine.turn SET tries = 0 WHERE id = $1', [tried.id]);
      await this.turns.release({ ...postponed(fresh, 'next_step', 0, this.settings), waits: 0, reason: null }, tx);
    });
  }

  /** What became of a step, for the timeline. */
  private note({ payload, claim, step }: Work, reason: string, detail: Record<string, unknown>): void {
    const { receipt_id, organization_id, project_id, app_id } = payload;
    this.journal.append({
      receipt_id,
      organization_id,
      project_id,
      app_id,
      stage: 'turn',
      outcome: 'running',
      reason,
      subject_id: claim.turn_id,
      attempt: claim.claim,
      detail: { step: step.name, kind: step.kind, ...detail },
    });
  }
}

function failedAt({ name }: WorkflowStep, why: string): PermanentFailure {
  return new PermanentFailure(failedCode, `the step ${name} failed: ${why}`);
}

function isLastAgent(steps: readonly WorkflowStep[], { position }: WorkflowStepRow): boolean {
  return steps.findLastIndex(({ kind }) => kind === 'agent') === position;
}
