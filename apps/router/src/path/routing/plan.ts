import { derivedId, newId, type ReplyTarget, type TurnInput } from '#libs/contracts';
import { type SenderContext, trustOf } from '../senders/senders.js';
import type { MessageRow, Target } from '../../entities/message.entity.js';
import { turnOf, type WholeTurn } from '../handover/turn-handover.service.js';
import type { WorkflowRow } from '../../entities/rules.entity.js';
import type { OpenWait } from '../rules/project-rules.js';
import { concluded, type Decision, type PlannedSession } from './decide.js';
import type { Draft } from './draft.js';

const dayMs = 86_400_000;

/** @returns the time since which a session needs a message, or else starts over; null: it never does */
function resetBefore(
  { idleResetMinutes, dailyResetHour }: Pick<PlannedSession, 'idleResetMinutes' | 'dailyResetHour'>,
  nowMs: number,
): Date | null {
  const idle = idleResetMinutes === null ? null : nowMs - idleResetMinutes * 60_000;
  const hourMs = (dailyResetHour ?? 0) * 3_600_000;
  const daily = dailyResetHour === null ? null : Math.floor((nowMs - hourMs) / dayMs) * dayMs + hourMs;
  if (idle === null && daily === null) return null;
  return new Date(Math.max(idle ?? 0, daily ?? 0));
}

/** What a decided message becomes: its row, and the turns for the engine. */
export interface Plan {
  draft: Draft;
  senderContext: SenderContext | null;
  decision: Decision;
  message: MessageRow;
  turns: Target[];
  /** What runs waited for, and it is. */
  continued: OpenWait[];
}

export function planMessage(
  draft: Draft,
  senderContext: SenderContext | null,
  decision: Decision,
  nowMs: number,
): Plan {
  const now = new Date();
  const input = (workflow: WorkflowRow | null) => inputOf(draft, senderContext, decision, workflow);
  const turns = decision.runs.map(({ workflow, trigger }): Target => ({
    turn_id: idOf(draft, 'trn', `${workflow.id} ${trigger?.id}`),
    run: {
      id: idOf(draft, 'run', `${workflow.id} ${trigger?.id}`),
      workflow_id: workflow.id,
      trigger_id: trigger?.id ?? null,
      replay: draft.replay,
      replay_of: draft.replayOf,
    },
    session: null,
    agent_id: workflow.agent_id,
    ...(workflow.status === 'suspended'
      ? { held: { until: 'workflow', at: workflow.updated_at.toISOString() } as const }
      : {}),
    input: input(workflow),
  }));
  if (decision.session) turns.push(sessionTurn(draft, senderContext, decision, decision.session, nowMs));
  if (decision.decides) turns.push(turnOfNoSession(idOf(draft, 'trn', 'decision'), input(null)));
  if (decision.informing && 'notice' in decision.informing) {
    const { notice, target } = decision.informing;
    const reply = { ...target, ...answersOf(senderContext) };
    turns.push(turnOfNoSession(idOf(draft, 'trn', 'notice'), { ...input(null), limit_notice: notice, reply }));
  }
  return {
    draft,
    senderContext,
    decision,
    turns,
    continued: [],
    message: {
      organization_id: draft.organization_id,
      project_id: draft.project_id,
      receipt_id: draft.receipt_id,
      id: draft.messageId,
      app_id: draft.app_id,
      app_kind: draft.app_kind,
      verified: draft.verified,
      text_from: draft.textFrom,
      message: draft.message,
      request: draft.request,
      outcome: decision.outcome,
      reason: decision.reason,
      verdicts: decision.verdicts,
      unlisted_verdicts: decision.unlisted,
      app_sends: draft.appSends,
      chief_of_staff: decision.chiefOfStaff,
      reply_withheld: turns.length > 0 ? (replyIn(decision, null).reply_withheld ?? null) : null,
      contact_id: senderContext?.homeId ?? null,
      sanitizer_report: draft.sanitizerReport,
      released_at: null,
      released_by: null,
      created_at: now,
    },
  };
}

/**
 * Its routing may be lost with Postgres while its jobs live in Redis. Then it is routed again, and what it became the
 * first time is the same turn. What a person asks for is another one each time.
 */
function idOf({ messageId, replay, released, durable }: Draft, kind: 'trn' | 'run', of: string): string {
  return replay || released || durable ? newId(kind) : derivedId(kind, messageId, of);
}

/** A notice or a decision neither waits for other turns nor is part of what an agent remembers. */
function turnOfNoSession(turnId: string, input: Target['input']): Target {
  return { turn_id: turnId, run: null, session: null, agent_id: null, input };
}

function sessionTurn(
  draft: Draft,
  senderContext: SenderContext | null,
  decision: Decision,
  session: PlannedSession,
  nowMs: number,
): Target {
  const { key, contactId, inboxMode, agentId } = session;
  return {
    turn_id: idOf(draft, 'trn', 'conversation'),
    run: null,
    session: {
      key,
      contact_id: contactId,
      inbox_mode: inboxMode,
      reset_before: resetBefore(session, nowMs)?.toISOString() ?? null,
      ...(draft.place === null ? {} : { place: draft.place }),
    },
    agent_id: agentId,
    input: inputOf(draft, senderContext, decision, null),
  };
}

/** Removes the runs of triggers from a plan; without any left, its fallback takes it. @param reasons why, by trigger */
export function withoutRuns(plan: Plan, reasons: Map<string, string>, nowMs: number): void {
  plan.turns = plan.turns.filter(({ run }) => !reasons.has(run?.trigger_id ?? ''));
  const { decision } = plan;
  decision.runs = decision.runs.filter(({ trigger }) => !reasons.has(trigger?.id ?? ''));
  for (const verdict of decision.verdicts) {
    const reason = reasons.get(verdict.trigger_id);
    if (reason) Object.assign(verdict, { verdict: 'rate_limited', reason });
  }
  const { fallback } = decision;
  if (decision.runs.length === 0 && fallback) {
    Object.assign(decision, { session: fallback, fallback: null, chiefOfStaff: 'taken' });
    plan.turns.push(sessionTurn(plan.draft, plan.senderContext, decision, fallback, nowMs));
  }
  Object.assign(
    decision,
    concluded(decision.verdicts, decision.runs.length > 0 || decision.session !== null, decision.chiefOfStaff),
  );
  plan.message.outcome = decision.outcome;
  plan.message.reason = decision.reason;
  plan.message.chief_of_staff = decision.chiefOfStaff;
}

export function runIdsOf(plans: Plan[]): string[] {
  return plans.flatMap(({ turns }) => turns.flatMap(({ run }) => run?.id ?? []));
}

/** The turns for the engine. */
export function turnsOf(plans: Plan[]): WholeTurn[] {
  return plans.flatMap(({ message, turns }) => turns.map((target) => turnOf(message, target)));
}

function inputOf(
  draft: Draft,
  senderContext: SenderContext | null,
  decision: Decision,
  workflow: WorkflowRow | null,
): Target['input'] {
  return {
    verified: draft.verified,
    instructions: workflow?.instructions ?? null,
    ...(workflow?.output_schema ? { output_schema: { ...workflow.output_schema } } : {}),
    ...(workflow?.steps ? { steps: workflow.steps } : {}),
    ...replyIn(decision, senderContext),
    ...(draft.deliver ? {} : { rehearsal: true as const }),
    trust: trustOf(senderContext),
    ...(draft.textFrom === 'system' ? { text_from: draft.textFrom } : {}),
    ...(draft.startedBy === null ? {} : { started_by: [draft.startedBy] }),
    ...(senderContext ? { contact_id: senderContext.contactId } : {}),
  };
}

function replyIn(
  { reply, failureNotice, limitWords }: Decision,
  senderContext: SenderContext | null,
): Pick<TurnInput, 'reply' | 'reply_withheld' | 'failure_notice' | 'limit_words'> {
  if (!reply) return { reply: null };
  if ('withheld' in reply) return { reply: null, reply_withheld: reply.withheld };
  return {
    reply: { ...reply.target, ...answersOf(senderContext) },
    ...(failureNotice === null ? {} : { failure_notice: failureNotice }),
    limit_words: limitWords,
  };
}

function answersOf(senderContext: SenderContext | null): Pick<ReplyTarget, 'answers'> {
  return senderContext ? { answers: senderContext.sender } : {};
}
