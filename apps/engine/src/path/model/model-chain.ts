import {
  type CallOptions,
  type Completion,
  type Model,
  ModelError,
  type ModelMessage,
  type PassedModel,
  type ToolDescription,
} from './model.js';
import type { ListPrice } from './model-settings.js';

/** One model with one key, in the order of an agent's chain. */
export interface Candidate {
  /** The model's name, as agents write it. */
  name: string;
  /** The provider's id; null: the installation's endpoint. */
  provider: string | null;
  key: string | null;
  model: Model;
}

/**
 * The models of an agent's chain, each with its keys. When one gives no answer, the next that its failure leaves is
 * asked: another key, another model or another provider. The rest of the turn stays with the one that answered: a turn
 * must not wait for the same time-out at every step. One instance serves one turn.
 */
export class ModelChain implements Model {
  private at = 0;
  /** Why those before the current one did not answer. */
  private readonly passed: PassedModel[] = [];

  constructor(private readonly candidates: readonly Candidate[]) {}

  /** Those that take none are shown none. */
  get takesImages(): boolean {
    return this.candidates.some(({ model }) => model.takesImages === true);
  }

  get takesPdf(): boolean {
    return this.candidates.some(({ model }) => model.takesPdf === true);
  }

  /** The one that is asked next. */
  get name(): string {
    return this.candidates[this.at]?.name ?? '';
  }

  get listPrice(): ListPrice | null {
    return this.candidates[this.at]?.model.listPrice ?? null;
  }

  get isRehearsal(): boolean {
    return this.candidates.every(({ model }) => model.isRehearsal === true);
  }

  async complete(
    messages: ModelMessage[],
    tools: ToolDescription[],
    signal: AbortSignal,
    options: CallOptions = {},
  ): Promise<Completion> {
    const failed: ModelError[] = [];
    const passed: PassedModel[] = [];
    for (let at: number | null = this.at; at !== null;) {
      const candidate: Candidate | undefined = this.candidates[at];
      if (!candidate) break;
      if (failed.length > 0) options.sink?.restart();
      try {
        const answer = await candidate.model.complete(messages, tools, signal, options);
        this.at = at;
        this.passed.push(...passed);
        const unread = failed.flatMap((error) => error.unread);
        return {
          ...answer,
          ...(unread.length > 0 ? { unread } : {}),
          ...(this.passed.length > 0 ? { insteadOf: [...this.passed] } : {}),
        };
      } catch (error) {
        // A conversation that is too long is shortened for the model that the agent names.
        if (!(error instanceof ModelError) || error.code === 'context_length') throw error;
        failed.push(error);
        passed.push({ model: candidate.name, key: candidate.key, code: error.code, why: error.message });
        at = this.after(at, candidate, error);
      }
    }
    throw worstOf(failed);
  }

  /** The next candidate that does not share what failed; null: there is none. */
  private after(at: number, failed: Candidate, { blame }: ModelError): number | null {
    const next = (fits: (other: Candidate) => boolean): number =>
      this.candidates.findIndex((other, index) => index > at && fits(other));
    if (blame === 'key') return at + 1 < this.candidates.length ? at + 1 : null;
    const elsewhere = blame === 'provider' ? next(({ provider }) => provider !== failed.provider) : -1;
    const found = elsewhere === -1 ? next(({ name }) => name !== failed.name) : elsewhere;
    return found === -1 ? null : found;
  }
}

/** The last failure; but if it is for good, the first of a model that may answer once it is available again. */
function worstOf(failed: ModelError[]): ModelError {
  const last = failed.at(-1);
  if (!last) throw new Error('a chain has no model');
  const thrown = (last.away ? undefined : failed.find((error) => error.away)) ?? last;
  thrown.unread.push(...failed.filter((error) => error !== thrown).flatMap((error) => error.unread));
  return thrown;
}
