import { isDeepStrictEqual } from 'node:util';
import { LeaseLost } from '#libs/work';
import type { OnlyStep, Step, StepKind, ToolCallRecord, Turn } from '../../entities/turn.entity.js';

/** Stores steps under the turn's lease; false when the lease is lost. */
export type AppendSteps = (steps: NewStep[]) => Promise<boolean>;

interface StepFacts {
  durationMs?: number;
  spent?: Spent;
  begun?: CallBegun;
  settled?: CallSettled;
}

/** The steps of one turn. They are buffered until they must be committed: around every call and at the end. */
export class StepLog {
  private seq: number;
  private waiting: NewStep[] = [];
  private committing: Promise<void> = Promise.resolve();
  count: number;
  tokens: number;
  costMicros: number;
  private readonly kinds: StepKind[];

  /** @param afterSeq steps up to here count towards the turn's tokens and cost, but not towards its limits of steps */
  constructor(
    stored: Step[],
    private readonly append: AppendSteps,
    afterSeq = 0,
  ) {
    this.seq = stored.at(-1)?.seq ?? 0;
    this.count = stored.length;
    this.kinds = stored.filter(({ seq }) => seq > afterSeq).map((step) => step.kind);
    this.tokens = stored.reduce((sum, step) => sum + (step.tokens ?? 0), 0);
    this.costMicros = stored.reduce((sum, step) => sum + Number(step.content['cost_micros'] ?? 0), 0);
  }

  /** @returns the step's number */
  add(kind: StepKind, content: Record<string, unknown>, facts: StepFacts = {}): number {
    const { spent, begun, settled } = facts;
    const tokens = spent ? spent.input_tokens + spent.output_tokens : null;
    this.seq += 1;
    this.count += 1;
    this.kinds.push(kind);
    this.tokens += tokens ?? 0;
    this.costMicros += spent?.cost_micros ?? 0;
    this.waiting.push({
      seq: this.seq,
      kind,
      content: spent ? { ...content, cost_micros: spent.cost_micros } : content,
      tokens,
      duration_ms: facts.durationMs ?? null,
      ...(spent ? { spent } : {}),
      ...(begun ? { begun } : {}),
      ...(settled ? { settled } : {}),
    });
    return this.seq;
  }

  /** The number of the step that is added next. */
  get next(): number {
    return this.seq + 1;
  }

  /** How many steps of a kind the turn has. */
  counted(kind: StepKind): number {
    return this.kinds.filter((each) => each === kind).length;
  }

  /** Commits the buffered steps in order, also when several callers commit at once. @throws LeaseLost */
  async commit(): Promise<void> {
    const steps = this.waiting;
    this.waiting = [];
    const before = this.committing;
    const mine = before.then(async () => {
      if (steps.length > 0 && !(await this.append(steps))) throw new LeaseLost('the lease was lost');
    });
    this.committing = mine;
    await mine;
  }

  /** What the buffered steps have used. */
  get unstored(): { tokens: number; costMicros: number } {
    const spent = this.waiting.flatMap((step) => (step.spent ? [step.spent] : []));
    return {
      tokens: spent.reduce((sum, { input_tokens, output_tokens }) => sum + input_tokens + output_tokens, 0),
      costMicros: spent.reduce((sum, { cost_micros }) => sum + cost_micros, 0),
    };
  }

  /** The buffered steps, for the statement that ends the turn. */
  get uncommitted(): NewStep[] {
    return this.waiting;
  }
}

/** The usage of one model call. */
export interface Spent {
  model: string;
  input_tokens: number;
  output_tokens: number;
  cost_micros: number;
}

/** The audit row of a call that begins or is refused at once. */
export type CallBegun = Pick<
  ToolCallRecord,
  | 'call_ref'
  | 'tool'
  | 'source'
  | 'tool_id'
  | 'grade'
  | 'arguments_sha256'
  | 'outcome'
  | 'code'
  | 'callback_sha256'
  | 'hosts'
>;

/** How a call ended that began at step `seq`. */
export type CallSettled = Pick<ToolCallRecord, 'seq' | 'outcome' | 'code' | 'duration_ms'>;

/** A step to be stored, with the other changes of the same statement. */
export interface NewStep extends Pick<Step, 'seq' | 'kind' | 'content' | 'tokens' | 'duration_ms'> {
  spent?: Spent;
  begun?: CallBegun;
  settled?: CallSettled;
}

/** Marks a step whose text is the reply of its turn, which has it. */
const inTurn = 'text_in_turn';
/** What is shorter than about the mark stays. */
const leastChars = 40;

/** SQL: what a step keeps of its content when its turn ends with a reply. Only `stepsOf` reads such texts. */
export const contentBesideReply = (step: string, reply: string): string =>
  `CASE WHEN ${step}.kind = 'model_call' AND length(${reply}) > ${leastChars} AND ${step}.content ->> 'text' = ${reply}
        THEN ${step}.content - 'text' || '{"${inTurn}": true}' ELSE ${step}.content END`;

/** What a step that shares the row of its turn leaves out, beside what that row says. */
const usual = { tool_calls: [], finish_reason: 'stop' };
/** As JSON. A longer one has a row: who reads turns does not read their steps. */
const sharesUpToChars = 500;

/**
 * The step of a turn that asked its model once, got its reply, and did nothing else: it shares the turn's row. The text is
 * the turn's reply, so no text is kept in it.
 * @returns null: the steps have rows
 */
export function onlyStepOf({
  steps,
  new_steps: unstored,
  reply_text,
  tokens,
  cost_micros,
}: EndingSteps): OnlyStep | null {
  const [step] = unstored;
  // The reply counts as a step, and so does each that is stored already.
  if (steps !== 2 || step?.seq !== 1 || step.kind !== 'model_call' || step.duration_ms === null) return null;
  const { text, cost_micros: cost, tool_calls: calls, finish_reason, ...rest } = step.content;
  if (text !== reply_text || step.tokens !== tokens || cost !== cost_micros) return null;
  if (!isDeepStrictEqual(calls, usual.tool_calls) || finish_reason === undefined) return null;
  const ms = Math.round(step.duration_ms * 1_000) / 1_000;
  const only = { ...rest, ...(finish_reason === usual.finish_reason ? {} : { finish_reason }), ms };
  return JSON.stringify(only).length > sharesUpToChars ? null : only;
}

/** Of a turn that ends: its steps, those that are not stored yet, and what its row says of them. */
interface EndingSteps extends Pick<Turn, 'steps' | 'tokens' | 'cost_micros'> {
  reply_text: string;
  new_steps: NewStep[];
}

/**
 * SQL: the steps of a turn, those in rows of their own and the one that shares the turn's. Calls of tools and their
 * results always have rows: who reads nothing else needs no more than `engine.step`.
 * @param turn an expression for its id
 */
export const stepsOf = (turn: string): string => `(
  SELECT own.turn_id, own.seq, own.kind, own.tokens, own.duration_ms, own.created_at, CASE WHEN own.content ? '${inTurn}'
           THEN own.content - '${inTurn}' || jsonb_build_object('text', ended.reply_text) ELSE own.content END AS content
    FROM engine.step own LEFT JOIN engine.turn ended ON ended.id = own.turn_id WHERE own.turn_id = ${turn}
   UNION ALL
  SELECT ended.id, 1, 'model_call', ended.tokens, (ended.only_step ->> 'ms')::double precision, ended.ended_at, '${JSON.stringify(usual)}'
           || jsonb_build_object('text', ended.reply_text, 'cost_micros', ended.cost_micros) || (ended.only_step - 'ms')
    FROM engine.turn ended WHERE ended.id = ${turn} AND ended.only_step IS NOT NULL)`;
