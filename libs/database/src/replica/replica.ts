import { setTimeout as pause } from 'node:timers/promises';
import { DataSource, type EntityManager } from 'typeorm';
import { isPostgresAway } from '../failed-statement.js';
import { LastingTrouble } from '../lasting-trouble.js';
import { ResilientClient } from '../resilient-client.js';
import { dataSourceOptions, type ConnectionSettings, type ServiceSchema } from '../service-schema.js';
import { isCancelled, isPoolBusy, ReplicaConnection } from './replica-connection.js';
import { WalPositions, walPosition } from './wal-positions.js';

const lookEveryMs = 1_000;
/** Of what reads nothing: a list is not kept waiting for a replica that does not answer. */
const lookMs = 1_000;
/** Postgres cancels what is late, which leaves the connection to others. Where it cannot, the connection is ended. */
const cancelMs = 250;

export interface ReplicaOptions extends ConnectionSettings {
  /** A read that has not ended by then is given up. */
  answerMs: number;
  /** Nothing is read of a replica that is further behind. */
  mostBehindMs: number;
}

/** Why nothing is read there. */
type Unfit = 'starting' | 'away' | 'behind' | 'no_replica';

/** Why one list was not read there; `slow`, not in time; `busy`: it got no connection, as others use all of them. */
export type Unread = Unfit | 'busy' | 'slow';

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
  /** Null: it may be read. */
  private state: Unfit | null = 'starting';
  private lastBehindMs = Number.POSITIVE_INFINITY;

  constructor(
    schema: ServiceSchema,
    private readonly primary: Pick<DataSource, 'query'>,
    private readonly options: ReplicaOptions,
  ) {
    this.source = new DataSource({ ...dataSourceOptions(schema, options), connectTimeoutMS: lookMs });
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
   * Reads there, all on one connection. What is not read in time is cancelled there. That says nothing of other lists.
   * @param mostBehindMs when it is further behind, nothing is read
   * @returns what was read, or why nothing was
   * @throws Error when it refuses: a replay may cancel what is read (SQLSTATE 40001); and what `work` throws
   */
  async read<T>(work: (db: EntityManager) => Promise<T>, mostBehindMs: number): Promise<OldRead<T> | Unread> {
    if (this.state !== null) return this.state;
    let connection: ReplicaConnection;
    try {
      connection = await ReplicaConnection.take(this.source);
    } catch (error) {
      if (isPoolBusy(error)) return 'busy';
      throw error;
    }
    try {
      const behindMs = this.behindOf(await this.placeOf(connection));
      if (behindMs > Math.min(mostBehindMs, this.options.mostBehindMs)) return 'behind';
      connection.allow(this.options.answerMs + cancelMs);
      return { value: await work(connection.manager), behindMs };
    } catch (error) {
      if (connection.isLate || isCancelled(error)) return 'slow';
      throw error;
    } finally {
      connection.giveBack();
    }
  }

  /** Limits what is asked on that connection afterwards, too: each read asks this first. */
  private async placeOf(connection: ReplicaConnection): Promise<Place | undefined> {
    connection.allow(lookMs);
    try {
      const [place] = await connection.manager.query<Place[]>(
        `${ofReplica}, set_config('statement_timeout', '${this.options.answerMs}', false)`,
      );
      return place;
    } catch (error) {
      if (isPostgresAway(error)) this.note('away', error);
      throw error;
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
