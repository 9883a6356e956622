import { type ContentTrust, contentTrusts, wordsOfTurnReason } from '#libs/contracts';
import { idOf } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { type ShownStep, stepViews } from './step-spans.js';
import type { SentReply } from '../replies/reply.repository.js';
import {
  errorOf,
  isOfTrial,
  replyReasonOf,
  type Step,
  stepKinds,
  type ToolCallRecord,
  type Turn,
  turnStates,
} from '../../entities/turn.entity.js';

export class StepView implements ShownStep {
  @ApiProperty({ type: 'integer' }) seq: number;
  @ApiProperty({ enum: [...stepKinds, 'reply'] }) kind: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) content: Record<string, unknown>;
  @ApiProperty({ type: 'integer', nullable: true }) tokens: number | null;
  @ApiProperty({ type: Number, nullable: true }) duration_ms: number | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Of a model call, in millionths' }) cost_micros:
    number | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When a model call began, or the call of a result; null: it took no time that was measured',
  })
  began_at: string | null;
  @ApiProperty({ description: 'A call that failed or was refused, or an answer of the model that was discarded' })
  failed: boolean;
  @ApiProperty({ format: 'date-time' }) created_at: string;
}

export class TurnWaitView {
  @ApiProperty({ description: 'Code of what is unavailable' }) reason: string;
  @ApiProperty({ type: String, nullable: true, description: 'The reason in words' }) text: string | null;
  @ApiProperty({ format: 'date-time' }) since: string;
  @ApiProperty({ format: 'date-time', description: 'When the turn fails if it is still unavailable' }) until: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) next_try_at: string | null;
}

export class TurnDeliveryView {
  @ApiProperty(idOf('dlv')) id: string;
  @ApiProperty({ enum: ['answer', 'failure_notice'] }) kind: string;
  @ApiProperty({
    enum: ['open', 'taken', 'delivered', 'dead', 'unknown', 'expired'],
    description: 'open: offered to the gateway; taken: the gateway has it; dead, unknown: see /api/v1/deliveries/<id>',
  })
  state: string;
}

/** A turn's facts without its steps. */
export class TurnHead {
  @ApiProperty(idOf('trn')) id: string;
  @ApiProperty(idOf('evt')) receipt_id: string;
  @ApiProperty({ ...idOf('run'), nullable: true }) run_id: string | null;
  @ApiProperty({ ...idOf('ses'), nullable: true }) session_id: string | null;
  @ApiProperty({ ...idOf('agt'), nullable: true, description: 'null: the Chief of Staff' }) agent_id: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Version of the agent when it last ran' })
  agent_version: number | null;
  @ApiProperty({ ...idOf('trn'), nullable: true, description: 'The turn of another agent that asked' })
  called_by: string | null;
  @ApiProperty({ enum: turnStates }) state: string;
  @ApiProperty({ type: String, nullable: true, description: 'Code of the last failure' }) error: string | null;
  @ApiProperty({ description: 'A replay without delivery: calls that would change something are not made' })
  rehearsal: boolean;
  @ApiProperty({ type: String, enum: ['sent', 'none'], nullable: true, description: 'Null until it has ended' })
  reply: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'What the reply lacks, or why there is none; for a failed turn: its error',
  })
  reason: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The reason in words' }) reason_text: string | null;
  @ApiProperty({ type: TurnWaitView, nullable: true, description: 'Set while something it needs is unavailable' })
  waiting: TurnWaitView | null;
  @ApiProperty({ type: [TurnDeliveryView] }) deliveries: TurnDeliveryView[];
  @ApiProperty({ type: 'integer', description: 'How often it was redriven' }) redrives: number;
  @ApiProperty({ type: 'integer' }) attempt: number;
  @ApiProperty({ type: String, nullable: true }) reply_text: string | null;
  @ApiProperty({
    enum: contentTrusts,
    description: 'If it succeeded: the least trust of its message and of what it read (docs/security.md)',
  })
  content_trust: ContentTrust;
  @ApiProperty({ type: 'integer', description: 'Tokens of all model calls' }) tokens: number;
  @ApiProperty({
    type: 'integer',
    description: 'Cost of all model calls, in millionths of the currency of MODEL_PRICES',
  })
  cost_micros: number;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) finished_at: string | null;
}

/** A turn of another agent that a turn asked for by a call of a tool. */
export class CalledTurnView {
  @ApiProperty(idOf('trn')) id: string;
  @ApiProperty(idOf('agt')) agent_id: string;
  @ApiProperty({ description: 'Of the call, as its steps have it: `call_id`' }) call_id: string;
  @ApiProperty({ type: 'integer', description: 'The step in which the model asked for the call' }) step: number;
  @ApiProperty({ enum: turnStates }) state: string;
}

export class TurnView extends TurnHead {
  @ApiProperty({ type: [CalledTurnView] }) called: CalledTurnView[];
  @ApiProperty({ type: [StepView] }) steps: StepView[];
}

export function turnView(turn: Turn, steps: Step[], called: Turn[], sent: SentReply[], waitMs: number): TurnView {
  return {
    ...turnHead(turn, sent, waitMs),
    called: called.map(calledView),
    steps: [...stepViews(steps), ...replyOf(turn, (steps.at(-1)?.seq ?? 0) + 1)],
  };
}

function calledView({ id, agent_id, state, input }: Turn): CalledTurnView {
  const ref = input?.called_by?.call_ref ?? '';
  const dot = ref.indexOf('.');
  return { id, agent_id: agent_id ?? '', call_id: ref.slice(dot + 1), step: Number(ref.slice(0, dot)), state };
}

/** The last step of a turn that succeeded. */
function replyOf({ state, reply_text: text, answer_id, reason, ended_at: at }: Turn, seq: number): ShownStep[] {
  if (state !== 'succeeded' || !at) return [];
  const content = { text, delivery_id: answer_id, ...(reason === null ? {} : { reason }) };
  const nothing = { tokens: null, duration_ms: null, cost_micros: null, began_at: null, failed: false };
  return [{ seq, kind: 'reply', content, ...nothing, created_at: at.toISOString() }];
}

export function turnHead(turn: Turn, sent: SentReply[], waitMs: number): TurnHead {
  const reason = turn.state === 'failed' ? turn.reason : replyReasonOf(turn);
  return {
    id: turn.id,
    receipt_id: turn.receipt_id,
    run_id: turn.run_id,
    session_id: isOfTrial(turn) ? null : turn.session_id,
    agent_id: turn.agent_id,
    agent_version: turn.agent_version,
    called_by: turn.called_by,
    state: turn.state,
    error: errorOf(turn),
    rehearsal: turn.input?.rehearsal === true,
    reply: turn.reply,
    reason,
    reason_text: wordsOfTurnReason(reason),
    waiting: waitOf(turn, waitMs),
    deliveries: sent
      .filter((reply) => reply.turn_id === turn.id)
      .map(({ delivery_id, kind, state }) => ({ id: delivery_id, kind, state })),
    redrives: turn.redrives,
    attempt: turn.claim,
    reply_text: turn.reply_text,
    content_trust: turn.content_trust,
    tokens: turn.tokens,
    cost_micros: turn.cost_micros,
    created_at: turn.created_at.toISOString(),
    finished_at: turn.ended_at?.toISOString() ?? null,
  };
}

function waitOf({ state, reason, blocked_since: since, due_at: dueAt }: Turn, waitMs: number): TurnWaitView | null {
  if (since === null || (state !== 'queued' && state !== 'running')) return null;
  return {
    reason: reason ?? 'unknown',
    text: wordsOfTurnReason(reason),
    since: since.toISOString(),
    until: new Date(since.getTime() + waitMs).toISOString(),
    next_try_at: state === 'queued' ? dueAt.toISOString() : null,
  };
}

export class ToolCallView {
  @ApiProperty({ type: 'integer', description: 'Number of the step in which the call began or was refused' })
  seq: number;
  @ApiProperty() tool: string;
  @ApiProperty({ enum: ['builtin', 'python', 'mcp', 'agent', 'none'] }) source: string;
  @ApiProperty({ type: String, nullable: true }) tool_id: string | null;
  @ApiProperty({ enum: ['read', 'write', 'destructive', 'none'] }) grade: string;
  @ApiProperty() arguments_sha256: string;
  @ApiProperty({ enum: ['begun', 'ok', 'error', 'refused', 'rehearsed'] }) outcome: string;
  @ApiProperty({ type: String, nullable: true }) code: string | null;
  @ApiProperty({ type: Number, nullable: true }) duration_ms: number | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
}

export class ToolCallList {
  @ApiProperty({ type: [ToolCallView] }) data: ToolCallView[];
}

export function toolCallView(call: ToolCallRecord): ToolCallView {
  const { seq, tool, source, tool_id, grade, arguments_sha256, outcome, code, duration_ms, created_at } = call;
  const shown = { seq, tool, source, tool_id, grade, arguments_sha256, outcome, code, duration_ms };
  return { ...shown, created_at: created_at.toISOString() };
}
