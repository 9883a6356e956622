import type { LaggingList } from '#libs/contracts';
import {
  Database,
  type OldRead,
  Replica,
  replicaUrl,
  type ServiceSchema,
  type Transaction,
  type Unread,
} from '#libs/database';
import { Metrics, type Principal, Problem } from '#libs/service-kit';
import { type FactoryProvider, Injectable, Logger } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { PrimaryPlaces, type PrimaryPlacesSettings, type WhyPrimary } from './primary-places.js';

export interface ReplicaSettings extends PrimaryPlacesSettings {
  DATABASE_URL: string;
  /** Null: everything is read from the primary. */
  DATABASE_REPLICA_URL: string | null;
  REPLICA_POOL: number;
  REPLICA_MAX_LAG_MS: number;
  REPLICA_ANSWER_MS: number;
}

/** What a list shows, and how old that may be; null: it is current. */
export type ListRead<T> = Omit<OldRead<T>, 'behindMs'> & { behindMs: number | null };

/** What a gauge shows of a replica that is further behind than is known, or away. */
const longestSeconds = 900;

/**
 * Reads lists and counts that people look at, from a replica where there is one and it is fit, else from the primary. Only
 * what names its list here is read there.
 */
@Injectable()
export class ListReads {
  private readonly logger = new Logger('list-reads');
  private readonly places: PrimaryPlaces;

  /** @param replica null: there is none */
  constructor(
    private readonly primary: Database,
    private readonly replica: Replica | null,
    private readonly settings: ReplicaSettings,
    private readonly reads: Counter<'list' | 'from' | 'why'> | null,
  ) {
    this.places = new PrimaryPlaces(settings);
  }

  onModuleInit(): void {
    this.replica?.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.replica?.stop();
  }

  /**
   * @param caller says how old it may be; absent: it has to be current
   * @param work is done again on the primary when the replica fails, or cancels it: it only reads
   * @throws Problem 503 `lists_busy` to who may lag; and what `work` throws on the primary, or as a Problem anywhere
   */
  async read<T>(
    list: LaggingList,
    { mayLagMs }: Pick<Principal, 'mayLagMs'>,
    work: (db: Transaction) => Promise<T>,
  ): Promise<ListRead<T>> {
    const onPrimary = async (): Promise<ListRead<T>> => ({ value: await work(this.primary.manager), behindMs: null });
    if (!this.replica) return onPrimary();
    if (mayLagMs === undefined) {
      // Whoever works here does not wait for those who look on.
      this.reads?.inc({ list, from: 'primary', why: 'changed' });
      return onPrimary();
    }
    const found = await this.fromReplica(this.replica, mayLagMs, list, work);
    if (typeof found !== 'string') {
      this.reads?.inc({ list, from: 'replica', why: 'fit' });
      return found;
    }
    this.reads?.inc({ list, from: 'primary', why: found });
    return this.places.within(found, onPrimary);
  }

  /** @returns why it was not read there, in a word */
  private async fromReplica<T>(
    replica: Replica,
    mayLagMs: number,
    list: LaggingList,
    work: (db: Transaction) => Promise<T>,
  ): Promise<OldRead<T> | WhyPrimary> {
    try {
      const found: OldRead<T> | Unread = await replica.read(work, Math.min(mayLagMs, this.settings.REPLICA_MAX_LAG_MS));
      if (found === 'slow') this.logger.warn({ event: 'replica.read_slow', list });
      return found;
    } catch (error) {
      // What is wrong with the request is wrong on the primary as well.
      if (error instanceof Problem) throw error;
      // Also a column that its replay has not made yet.
      this.logger.warn({ event: 'replica.read_failed', list, error: String(error) });
      return 'failed';
    }
  }
}

export function listReadsProvider(schema: ServiceSchema, name: string, settings: ReplicaSettings): FactoryProvider {
  return {
    provide: ListReads,
    useFactory: (primary: Database, { registry }: Metrics) => {
      if (settings.DATABASE_REPLICA_URL === null) return new ListReads(primary, null, settings, null);
      const replica = new Replica(schema, primary, {
        url: replicaUrl(settings.DATABASE_REPLICA_URL, settings.DATABASE_URL),
        poolSize: settings.REPLICA_POOL,
        applicationName: `${name}-lists`,
        answerMs: settings.REPLICA_ANSWER_MS,
        mostBehindMs: settings.REPLICA_MAX_LAG_MS,
      });
      const registers = [registry];
      const lag: Gauge = new Gauge({
        name: 'gatehouse_replica_lag_seconds',
        help: 'How far the replica that lists are read from is behind; 900: that or more, or it is away',
        registers,
        collect: () => lag.set(Math.min(replica.behindMs / 1_000, longestSeconds)),
      });
      const reads = new Counter({
        name: 'gatehouse_list_reads_total',
        help: 'Lists that may be read from a replica, by where they were read, and why there',
        labelNames: ['list', 'from', 'why'] as const,
        registers,
      });
      return new ListReads(primary, replica, settings, reads);
    },
    inject: [Database, Metrics],
  };
}
