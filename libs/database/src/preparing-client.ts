import { hash } from 'node:crypto';
import type { QueryResult } from 'pg';
import { ResilientClient } from './resilient-client.js';

/** Uses of one text before it is prepared: what is asked once costs no memory in Postgres. */
const preparedAfter = 5;
/** Texts that one connection counts or has prepared; beyond it Postgres plans each use anew. */
const keptAtMost = 500;
/** The shape of the result has changed by a migration; a pooler has another connection's statements: none, or this one. */
const staleCodes = ['0A000', '26000', '42P05'];

/**
 * Prepares the statements with parameters that it has seen some times, so that Postgres parses and plans them once a
 * connection instead of at every use.
 */
export class PreparingClient extends ResilientClient {
  private readonly uses = new Map<string, number>();
  private readonly names = new Map<string, string>();
  private generation = 0;

  constructor(...config: ConstructorParameters<typeof ResilientClient>) {
    super(...config);
    const plain = this.query.bind(this) as (...query: unknown[]) => unknown;
    const query = (...asked: unknown[]): unknown => {
      const [text, values] = asked;
      if (typeof text !== 'string' || !Array.isArray(values) || asked.length > 2) return plain(...asked);
      const name = this.nameOf(text);
      return name === null ? plain(text, values) : this.askPrepared(name, text, values);
    };
    this.query = query as typeof this.query;
  }

  private async askPrepared(name: string, text: string, values: unknown[]): Promise<QueryResult> {
    try {
      return await super.query({ name, text, values });
    } catch (error) {
      if (!isStale(error)) throw error;
      this.names.delete(text);
      this.generation += 1;
      // In a transaction, which is lost by now, whoever began it begins it again.
      if (this.getTransactionStatus() !== 'I') throw error;
      return super.query({ text, values });
    }
  }

  /** The name of the statement as prepared on this connection, or null while it is not worth it. */
  private nameOf(text: string): string | null {
    const name = this.names.get(text);
    if (name !== undefined) return name;
    const uses = this.uses.get(text) ?? 0;
    if (uses === 0 && this.uses.size >= keptAtMost) return null;
    this.uses.set(text, uses + 1);
    if (uses + 1 < preparedAfter) return null;
    // Named for its text: behind a pooler that knows nothing of prepared statements a name may meet another client's.
    const made = `gatehouse_${hash('sha256', text).slice(0, 32)}_${this.generation}`;
    this.names.set(text, made);
    return made;
  }
}

function isStale(error: unknown): boolean {
  return error instanceof Error && 'code' in error && staleCodes.includes(String(error.code));
}
