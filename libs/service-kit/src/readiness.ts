import { SchemaState } from '#libs/database';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { setTimeout as pause } from 'node:timers/promises';
import { databaseOf } from './database-of.js';

const timeoutMs = 2_000;
const askEveryMs = 1_000;
const sayEveryMs = 15_000;

/** Whether a service can work: Postgres answers, the schema is at this build's version, and its own checks pass. */
export class Readiness {
  private readonly source: ReturnType<typeof databaseOf>;
  private readonly schema: SchemaState | null;
  private wasReady = false;

  constructor(
    app: NestFastifyApplication,
    private readonly notReady: () => Promise<string | null>,
    /** What Postgres answered when it last did is what counts. */
    private readonly remembers = false,
  ) {
    this.source = databaseOf(app);
    this.schema = this.source && new SchemaState(this.source);
  }

  /** @returns why not, in a few words, or null */
  async problem(): Promise<string | null> {
    return (await this.databaseProblem()) ?? (await this.notReady());
  }

  /** Until its schema is migrated, a service takes no requests and no jobs, and runs no sweeps. */
  async untilMigrated(): Promise<void> {
    for (let reportedMs = 0; ; await pause(askEveryMs)) {
      const problem = await this.databaseProblem();
      if (problem === null) return this.warnOfEndlessStatements();
      if (Date.now() - reportedMs < sayEveryMs) continue;
      reportedMs = Date.now();
      new Logger('start').warn({ event: 'service.waits', reason: problem });
    }
  }

  /** A role that `prepare-roles` created has a limit; another role may have none. */
  private async warnOfEndlessStatements(): Promise<void> {
    const [row] = ((await this.source?.query('SHOW statement_timeout')) ?? []) as { statement_timeout: string }[];
    if (row?.statement_timeout !== '0') return;
    const reason = 'the role has no statement_timeout: a stuck statement holds its connection (docs/security.md)';
    new Logger('start').warn({ event: 'database.endless_statements', reason });
  }

  private async databaseProblem(): Promise<string | null> {
    if (!this.source || !this.schema) return null;
    const timeout = new Promise<never>((_resolve, reject) =>
      setTimeout(() => reject(new Error('timeout')), timeoutMs).unref(),
    );
    try {
      await Promise.race([this.source.query('SELECT 1'), timeout]);
      const problem = await Promise.race([this.schema.problem(), timeout]);
      this.wasReady = problem === null;
      return problem;
    } catch {
      return this.remembers && this.wasReady ? null : 'postgres does not answer';
    }
  }
}
