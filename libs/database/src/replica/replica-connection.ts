import type pg from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

/**
 * A connection for one read. What that asks at once takes turns; what it has not read in time is given up, by ending the
 * connection.
 */
export class ReplicaConnection {
  private last: Promise<unknown> = Promise.resolve();
  private isOver = false;
  private timer: NodeJS.Timeout | undefined;
  /** Whether it was ended because something took too long. */
  isLate = false;

  private constructor(
    private readonly runner: QueryRunner,
    private readonly client: Pick<pg.Client, 'end'>,
  ) {
    const plain = runner.query.bind(runner) as (...asked: unknown[]) => Promise<unknown>;
    const query = (...asked: unknown[]): Promise<unknown> => {
      const next = this.last.then(() => {
        if (this.isOver) throw new Error('The list that asks for this has its answer, or has failed.');
        return plain(...asked);
      });
      this.last = next.catch(() => undefined);
      return next;
    };
    runner.query = query as typeof runner.query;
  }

  /** @throws Error when there is none, or none is free in time */
  static async take(source: DataSource): Promise<ReplicaConnection> {
    const runner = source.createQueryRunner();
    return new ReplicaConnection(runner, (await runner.connect()) as pg.Client);
  }

  get manager(): EntityManager {
    return this.runner.manager;
  }

  /** From now on, instead of what was allowed before. */
  allow(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.isLate = true;
      // Fails its statement.
      void this.client.end().catch(() => undefined);
    }, ms);
  }

  /** Nothing more is asked. It serves another read once the statement that it is at has ended, or was given up. */
  giveBack(): void {
    this.isOver = true;
    void this.last.then(() => {
      clearTimeout(this.timer);
      return this.runner.release();
    });
  }
}

/** @returns whether all connections are in use: it says nothing of the server */
export function isPoolBusy(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}

/** SQLSTATE query_canceled. */
export function isCancelled(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '57014';
}
