import { hash } from 'node:crypto';
import type { QueryResult } from 'pg';
import { ResilientClient } from './resilient-client.js';

/** Uses of a text before it is prepared: a statement used once costs no memory in Postgres. */
const preparedAfter = 5;
/** Most texts that one connection counts or has prepared; Postgres plans each use of any other. */
const keptAtMost = 500;
/** A migration changed the shape of the result, or a pooler's connection lacks the statement or already has it. */
const staleCodes = ['0A000', '26000', '42P05'];

/**
 * Prepares the statements with parameters that it sees repeatedly, so that Postgres parses and plans them once per
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
      // Inside a transaction, which is lost by now: its owner starts it again.
      if (this.getTransactionStatus() !== 'I') throw error;
      return super.query({ text, values });
    }
  }

  /** The name of the statement as prepared on this connection, or null while it is not worth preparing. */
  private nameOf(text: string): string | null {
    const name = this.names.get(text);
    if (name !== undefined) return name;
    const uses = this.uses.get(text) ?? 0;
    if (uses === 0 && this.uses.size >= keptAtMost) return null;
    this.uses.set(text, uses + 1);
    if (uses + 1 < preparedAfter) return null;
    // Named after its text: behind a pooler that does not track prepared statements, a name may be another client's.
    const made = `gatehouse_${hash('sha256', text).slice(0, 32)}_${this.generation}`;
    this.names.set(text, made);
    return made;
  }
}

function isStale(error: unknown): boolean {
  return error instanceof Error && 'code' in error && staleCodes.includes(String(error.code));
}
