import type { Step, StepKind } from '../turns/step.entity.js';
import type { NewStep } from '../turns/turn-ending.repository.js';

/** The lease was lost: another claim runs the turn, so this one must do nothing more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Stores steps under the turn's lease; false when it is lost. */
export type AppendSteps = (steps: NewStep[]) => Promise<boolean>;

/** The steps of one turn: kept here until they have to be committed, which is around every call and at the end. */
export class StepLog {
  private seq: number;
  private waiting: NewStep[] = [];
  count: number;
  tokens: number;

  constructor(
    stored: Step[],
    private readonly append: AppendSteps,
  ) {
    this.seq = stored.at(-1)?.seq ?? 0;
    this.count = stored.length;
    this.tokens = stored.reduce((sum, step) => sum + (step.tokens ?? 0), 0);
  }

  add(
    kind: StepKind,
    content: Record<string, unknown>,
    tokens: number | null = null,
    durationMs: number | null = null,
  ): void {
    this.seq += 1;
    this.count += 1;
    this.tokens += tokens ?? 0;
    this.waiting.push({ seq: this.seq, kind, content, tokens, duration_ms: durationMs });
  }

  /** Commits what waits. @throws LeaseLost */
  async commit(): Promise<void> {
    if (this.waiting.length === 0) return;
    if (!(await this.append(this.waiting))) throw new LeaseLost('the lease was lost');
    this.waiting = [];
  }

  /** What waits, for the statement that ends the turn. */
  get uncommitted(): NewStep[] {
    return this.waiting;
  }
}
