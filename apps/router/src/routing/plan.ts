import { newId, type TurnInput } from '#libs/contracts';
import { type Standing, trustOf } from '../contacts/standing.js';
import type { RunRow } from '../runs/run.entity.js';
import type { TurnRow } from '../turns/turn.entity.js';
import type { WorkflowRow } from '../workflows/workflow.entity.js';
import { concluded, type Decision } from './decide.js';
import type { Draft } from './draft.js';
import type { MessageRow } from './message.entity.js';

/** The rows that a decided message becomes. A session turn's epoch and state are settled when its session is locked. */
export interface Plan {
  draft: Draft;
  standing: Standing | null;
  decision: Decision;
  message: MessageRow;
  runs: RunRow[];
  turns: TurnRow[];
  /** The plans of its transaction, itself included. */
  batch: Plan[];
}

export function planMessage(draft: Draft, standing: Standing | null, decision: Decision, batch: Plan[]): Plan {
  const now = new Date();
  const owner = {
    organization_id: draft.organization_id,
    project_id: draft.project_id,
    receipt_id: draft.receipt_id,
  };
  const runs = decision.runs.map(({ workflow, trigger }): RunRow => ({
    ...owner,
    id: newId('run'),
    workflow_id: workflow.id,
    trigger_id: trigger?.id ?? null,
    message_id: draft.messageId,
    replay: draft.replay,
    rehearsal: !draft.deliver,
    replay_of: draft.replayOf,
    state: workflow.status === 'suspended' ? 'suspended' : 'queued',
    error: null,
    reply: null,
    reason: null,
    waiting_until: null,
    created_at: now,
    finished_at: null,
  }));
  const turns = decision.runs.map(({ workflow }, index) =>
    newTurn(draft, inputOf(draft, standing, decision, workflow), {
      run_id: runs[index]?.id ?? null,
      agent_id: workflow.agent_id,
      state: workflow.status === 'suspended' ? 'held' : 'open',
    }),
  );
  if (decision.session) {
    const part = { run_id: null, agent_id: decision.session.agentId, state: 'waiting' } as const;
    turns.push(newTurn(draft, inputOf(draft, standing, decision, null), part));
  }
  return {
    draft,
    standing,
    decision,
    runs,
    turns,
    batch,
    message: {
      ...owner,
      id: draft.messageId,
      app_id: draft.app_id,
      app_kind: draft.app_kind,
      verified: draft.verified,
      text_from: draft.textFrom,
      message: draft.message,
      outcome: decision.outcome,
      reason: decision.reason,
      verdicts: decision.verdicts,
      unlisted_verdicts: decision.unlisted,
      app_sends: draft.appSends,
      chief_of_staff: decision.chiefOfStaff,
      reply_withheld: turns.length > 0 ? (replyIn(decision).reply_withheld ?? null) : null,
      contact_id: standing?.homeId ?? null,
      sanitizer_report: draft.sanitizerReport,
      released_at: null,
      released_by: null,
      created_at: now,
    },
  };
}

/** Takes the runs of triggers off a plan. @param reasons why, by trigger */
export function withoutRuns(plan: Plan, reasons: Map<string, string>): void {
  const gone = new Set(plan.runs.filter((run) => reasons.has(run.trigger_id ?? '')).map((run) => run.id));
  plan.runs = plan.runs.filter((run) => !gone.has(run.id));
  plan.turns = plan.turns.filter((turn) => !gone.has(turn.run_id ?? ''));
  const { decision } = plan;
  decision.runs = decision.runs.filter(({ trigger }) => !reasons.has(trigger?.id ?? ''));
  for (const verdict of decision.verdicts) {
    const reason = reasons.get(verdict.trigger_id);
    if (reason) Object.assign(verdict, { verdict: 'rate_limited', reason });
  }
  Object.assign(
    decision,
    concluded(decision.verdicts, decision.runs.length > 0 || decision.session !== null, decision.chiefOfStaff),
  );
  plan.message.outcome = decision.outcome;
  plan.message.reason = decision.reason;
}

export function runIdsOf(plans: Plan[]): string[] {
  return plans.flatMap((plan) => plan.runs.map((run) => run.id));
}

/** The turns that the engine is asked for at once. */
export function openTurns(plans: Plan[]): TurnRow[] {
  return plans.flatMap((plan) => plan.turns).filter((turn) => turn.state === 'open');
}

/** A turn of a message. */
export function newTurn(
  draft: Pick<Draft, 'organization_id' | 'project_id' | 'app_id' | 'receipt_id'> & { messageId: string | null },
  input: TurnInput,
  part: Pick<TurnRow, 'run_id' | 'agent_id' | 'state'>,
): TurnRow {
  const now = new Date();
  return {
    ...part,
    id: newId('trn'),
    organization_id: draft.organization_id,
    project_id: draft.project_id,
    app_id: draft.app_id,
    receipt_id: draft.receipt_id,
    message_id: draft.messageId,
    session_id: null,
    epoch: 0,
    input,
    error: null,
    reply: null,
    reason: null,
    redrives: 0,
    cancel_requested: false,
    collected_into: null,
    progress: 0,
    woken_at: now,
    created_at: now,
    finished_at: null,
  };
}

function inputOf(draft: Draft, standing: Standing | null, decision: Decision, workflow: WorkflowRow | null): TurnInput {
  return {
    message: draft.message,
    verified: draft.verified,
    instructions: workflow?.instructions ?? null,
    ...replyIn(decision),
    ...(draft.deliver ? {} : { rehearsal: true as const }),
    trust: trustOf(standing),
    ...(draft.textFrom === 'system' ? { text_from: draft.textFrom } : {}),
    ...(draft.startedBy === null ? {} : { started_by: [draft.startedBy] }),
    ...(standing ? { contact_id: standing.contactId } : {}),
  };
}

function replyIn({ reply, failureNotice }: Decision): Pick<TurnInput, 'reply' | 'reply_withheld' | 'failure_notice'> {
  if (!reply) return { reply: null };
  if ('withheld' in reply) return { reply: null, reply_withheld: reply.withheld };
  return { reply: reply.target, ...(failureNotice === null ? {} : { failure_notice: failureNotice }) };
}
