import { Database, type Queryable, Sweeping } from '#libs/database';
import type { FactoryProvider, OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

const sayEveryMs = 5_000;
/** A process that has said nothing for so long has ended, or its Postgres is away: nothing works then. */
const silentMs = 20_000;
/** What ended longer ago is forgotten by whoever starts next. */
const forgottenMs = 3_600_000;

/** A build of which processes run here. */
export interface RunningBuild {
  build: string;
  /** By name, each once. */
  services: string[];
}

/** Says which build this process is of, before it works and as long as it runs. */
export class ProcessPresence extends Sweeping implements OnModuleInit {
  private readonly id: string;

  constructor(
    private readonly db: Queryable,
    private readonly service: string,
    private readonly build: string,
  ) {
    super();
    this.id = `${service}_${randomUUID().replaceAll('-', '')}`;
    const sweep = async (): Promise<number> => {
      await this.say();
      return 0;
    };
    this.sweepEvery({ name: 'process-presence', everyMs: sayEveryMs, batch: 1, sweep });
  }

  /** Where Postgres does not answer, nothing is worked on either: it is said as soon as it does. */
  async onModuleInit(): Promise<void> {
    const forget = `DELETE FROM journal.process WHERE seen_at < now() - $1 * interval '1 ms'`;
    await this.db.query(forget, [forgottenMs]).catch(() => undefined);
    await this.say().catch(() => undefined);
  }

  private async say(): Promise<void> {
    await this.db.query(
      `INSERT INTO journal.process (id, service, build) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET seen_at = now()`,
      [this.id, this.service, this.build],
    );
  }
}

export const processPresenceProvider = (service: string): FactoryProvider<ProcessPresence> => ({
  provide: ProcessPresence,
  useFactory: (db: Database) => new ProcessPresence(db, service, ownBuild()),
  inject: [Database],
});

/** Of all processes of this installation. More than one: it is being updated, or its update stopped half-way. */
export async function runningBuilds(db: Queryable): Promise<RunningBuild[]> {
  return (await db.query(
    `SELECT build, array_agg(DISTINCT service ORDER BY service) AS services FROM journal.process
      WHERE seen_at > now() - $1 * interval '1 ms' GROUP BY build ORDER BY min(started_at)`,
    [silentMs],
  )) as RunningBuild[];
}

/** The digest of the sources that the build has written beside what it compiled. Where they run as they are, there is none. */
function ownBuild(): string {
  try {
    return readFileSync(new URL('../../../build-id', import.meta.url), 'utf8').trim();
  } catch {
    return 'source';
  }
}
