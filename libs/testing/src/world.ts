import type { JobContract } from '#libs/contracts';
import { createService, type ServiceOptions } from '#libs/service-kit';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type pg from 'pg';
import type { RouteTable } from './answer.js';
import { type Callers, type Calls, callsOf } from './calls.js';
import { QueuedJobs } from './queued-jobs.js';
import { testDatabase } from './test-database.js';
import { testPool } from './test-pool.js';

interface Closable {
  close(): Promise<unknown>;
}

/** How the tests of a service start it. */
export interface Setup<Settings> extends Callers {
  service(settings: Settings): ServiceOptions;
  /** What all tests of the service share, except for the database. */
  settings: Settings;
  /** Another world's database; absent: one of its own. */
  databaseUrl?: string | undefined;
  /** Queues that no test consumes: they are empty at first. */
  queues?: string[];
  /** Fakes of what the service calls, and clients of its stores: closed after it, in this order. */
  beside?: Closable[];
  /** Changes parts of the service before it listens. */
  prepare?(app: NestFastifyApplication): void;
}

/** A service on a database of its own: as many replicas in this process as a test starts, called at the first one. */
export interface World<Settings, Views extends RouteTable = [], InternalViews extends RouteTable = []> extends Calls<
  Views,
  InternalViews
> {
  /** The first replica. */
  readonly app: NestFastifyApplication;
  readonly url: string;
  databaseUrl: string;
  /** As the server's administrator, without restrictions. */
  pool: pg.Pool;
  query<Row = Record<string, unknown>>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  start(settings?: Partial<Settings>): Promise<NestFastifyApplication>;
  /** Stops all replicas and starts one. */
  restart(settings?: Partial<Settings>): Promise<void>;
  /** Payloads of the jobs of one kind in `queues`. */
  waiting<P extends object>(contract: JobContract<P>): Promise<P[]>;
  /** Loses the jobs in `queues`, as Redis does when it is wiped. */
  loseJobs(): Promise<void>;
  close(): Promise<void>;
}

/** A world without a replica: `start` starts the first one. */
export async function openWorld<
  Settings extends { DATABASE_URL: string },
  Views extends RouteTable = [],
  InternalViews extends RouteTable = [],
>(setup: Setup<Settings>): Promise<World<Settings, Views, InternalViews>> {
  const database = setup.databaseUrl === undefined ? await testDatabase() : null;
  const databaseUrl = setup.databaseUrl ?? database?.url ?? '';
  const pool = testPool(databaseUrl);
  const queued = new QueuedJobs(setup.queues ?? []);
  await queued.lose();
  const replicas: { app: NestFastifyApplication; url: string }[] = [];
  const first = () => {
    const [replica] = replicas;
    if (!replica) throw new Error('the service was not started');
    return replica;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(replicas.splice(0).map(({ app }) => app.close()));
  };
  const world: World<Settings, Views, InternalViews> = {
    ...callsOf<Views, InternalViews>(setup.service(setup.settings).name, () => first().url, setup),
    get app() {
      return first().app;
    },
    get url() {
      return first().url;
    },
    databaseUrl,
    pool,
    query: async <Row>(sql: string, parameters?: unknown[]) => (await pool.query(sql, parameters)).rows as Row[],
    start: async (settings) => {
      const app = await createService(setup.service({ ...setup.settings, DATABASE_URL: databaseUrl, ...settings }));
      try {
        setup.prepare?.(app);
        await app.startAllMicroservices();
        await app.listen(0, '127.0.0.1');
      } catch (error) {
        await app.close();
        throw error;
      }
      replicas.push({ app, url: await app.getUrl() });
      return app;
    },
    restart: async (settings) => {
      await stop();
      await world.start(settings);
    },
    waiting: (contract) => queued.payloads(contract, ['wait', 'delayed', 'prioritized']),
    loseJobs: () => queued.lose(),
    close: async () => {
      await stop();
      for (const each of setup.beside ?? []) await each.close();
      await queued.close();
      await pool.end();
      await database?.drop();
    },
  };
  return world;
}
