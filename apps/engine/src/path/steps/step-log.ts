import { LeaseLost } from '#libs/work';
import type { Step, StepKind, ToolCallRecord } from '../../entities/turn.entity.js';

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
