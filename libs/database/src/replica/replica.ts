import type pg from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { isPostgresAway } from '../failed-statement.js';
import { LastingTrouble } from '../lasting-trouble.js';
import { ResilientClient } from '../resilient-client.js';
import { dataSourceOptions, type ConnectionSettings, type ServiceSchema } from '../service-schema.js';
import { WalPositions, walPosition } from './wal-positions.js';

const lookEveryMs = 1_000;
/** Of what reads nothing: a list is not kept waiting for a replica that does not answer. */
const lookMs = 1_000;

export interface ReplicaOptions extends ConnectionSettings {
  /** A read that has not ended by then is given up. */
  answerMs: number;
  /** Nothing is read of a replica that is further behind. */
  mostBehindMs: number;
}

/** Why nothing is read there. */
type Unfit = 'starting' | 'away' | 'behind' | 'no_replica';

/** What was read, and how old it may be: everything that was committed before is in it. */
export interface OldRead<T> {
  value: T;
  behindMs: number;
}

interface Place {
  position: string | null;
  system: string;
}

/** Where the log is. The primary's is what is on its disk, since a replica gets no more. */
const placeSql = (position: string): string =>
  `SELECT ${position}::text AS position, (SELECT system_identifier::text FROM pg_control_system()) AS system`;
const ofPrimary = placeSql('pg_current_wal_flush_lsn()');
/** Null on a server that is no replica. */
const ofReplica = placeSql('CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END');

/**
 * Connections to a replica of Postgres, and how far it is behind. The primary is asked each second where its log is. Each
 * read asks its own connection how far that has replayed, as several replicas may stand behind one address.
 */
export class Replica {
  private readonly source: DataSource;
  private readonly positions = new WalPositions();
  private readonly trouble = new LastingTrouble('replica', 'replica.not_read');
  private readonly stopping = new AbortController();
  private watching: Promise<void> = Promise.resolve();
  private looker: ResilientClient | null = null;
  private system: string | null = null;
  private state: Unfit | null = 'starting';
  private lastBehindMs = Number.POSITIVE_INFINITY;

  constructor(
    schema: ServiceSchema,
    private readonly primary: Pick<DataSource, 'query'>,
    private readonly options: ReplicaOptions,
  ) {
    this.source = new DataSource({ ...dataSourceOptions(schema, options), connectTimeoutMS: lookMs });
  }

  /** Null: it may be read. */
  get unfit(): Unfit | null {
    return this.state;
  }

  /** When it was last looked at; infinite: not known. */
  get behindMs(): number {
    return this.lastBehindMs;
  }

  start(): void {
    this.watching = this.watch();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.watching;
    await this.looker?.end().catch(() => undefined);
    if (this.source.isInitialized) await this.source.destroy();
  }

  /**
   * Reads there, all on one connection.
   * @param mostBehindMs when it is further behind, nothing is read
   * @returns null: it is
   * @throws Error when it does not answer in time, or refuses: a replay may cancel what is read (SQLSTATE 40001)
   */
  async read<T>(work: (db: EntityManager) => Promise<T>, mostBehindMs: number): Promise<OldRead<T> | null> {
    const runner = this.source.createQueryRunner();
    try {
      const client = (await runner.connect()) as pg.Client;
      const place = await inTime(client, lookMs, async () => {
        const [found] = (await runner.query(ofReplica)) as Place[];
        return found;
      });
      const behindMs = this.behindOf(place);
      if (behindMs > Math.min(mostBehindMs, this.options.mostBehindMs)) return null;
      takeTurns(runner);
      return { value: await inTime(client, this.options.answerMs, () => work(runner.manager)), behindMs };
    } catch (error) {
      if (isPostgresAway(error)) this.note('away', error);
      throw error;
    } finally {
      await runner.release();
    }
  }

  private behindOf(place: Place | undefined): number {
    if (!place || place.position === null || place.system !== this.system) return Number.POSITIVE_INFINITY;
    return this.positions.behindMs(walPosition(place.position), performance.now());
  }

  private async watch(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await this.look();
      await pause(lookEveryMs, undefined, { signal: this.stopping.signal, ref: false }).catch(() => undefined);
    }
  }

  private async look(): Promise<void> {
    try {
      await this.lookAtPrimary();
      const place = await this.lookAtReplica();
      this.lastBehindMs = this.behindOf(place);
      // The primary has not answered yet.
      if (this.system === null) return;
      if (place.position === null || place.system !== this.system) {
        return this.note('no_replica', new Error('DATABASE_REPLICA_URL does not lead to a replica of this primary'));
      }
      if (this.lastBehindMs > this.options.mostBehindMs) return this.note('behind', new Error('it is too far behind'));
      if (!this.source.isInitialized) await this.source.initialize();
      this.state = null;
      this.trouble.works('replica');
    } catch (error) {
      this.lastBehindMs = Number.POSITIVE_INFINITY;
      this.note('away', error);
    }
  }

  private note(why: Unfit, error: unknown): void {
    if (this.stopping.signal.aborted) return;
    this.state = why;
    this.trouble.fails('replica', error);
  }

  /** Where it does not answer, nothing is known to be newer. */
  private async lookAtPrimary(): Promise<void> {
    const askedMs = performance.now();
    const asked = this.primary.query(ofPrimary) as Promise<Place[]>;
    const late = pause(lookMs, [] as Place[], { ref: false });
    const [place] = await Promise.race([asked.catch(() => []), late]);
    if (!place?.position) return;
    this.system = place.system;
    this.positions.add(askedMs, walPosition(place.position));
  }

  private async lookAtReplica(): Promise<Place> {
    try {
      this.looker ??= await this.connected();
      const { rows } = await this.looker.query<Place>(ofReplica);
      return rows[0]!;
    } catch (error) {
      const looker = this.looker;
      this.looker = null;
      void looker?.end().catch(() => undefined);
      throw error;
    }
  }

  private async connected(): Promise<ResilientClient> {
    const client = new ResilientClient({
      connectionString: this.options.url,
      application_name: `${this.options.applicationName}-look`,
      connectionTimeoutMillis: lookMs,
      query_timeout: lookMs,
      keepAlive: true,
    });
    try {
      await client.connect();
      return client;
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
  }
}

/** A connection that does not answer in time is ended, which fails its statement. */
async function inTime<T>(client: Pick<pg.Client, 'end'>, ms: number, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => void client.end().catch(() => undefined), ms);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/** What is asked at once goes over one connection, which takes one statement at a time. */
function takeTurns(runner: QueryRunner): void {
  const plain = runner.query.bind(runner) as (...asked: unknown[]) => Promise<unknown>;
  let last: Promise<unknown> = Promise.resolve();
  const query = (...asked: unknown[]): Promise<unknown> => {
    const next = last.then(() => plain(...asked));
    last = next.catch(() => undefined);
    return next;
  };
  runner.query = query as typeof runner.query;
}
