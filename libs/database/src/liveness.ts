import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ConnectionSettings } from './service-schema.js';
import { ResilientClient } from './resilient-client.js';

const lookEveryMs = 2_000;
/** Wait before a missing process is looked for again: Postgres may have restarted, and all may reconnect. */
const doubtMs = 1_000;
const reconnectMs = 250;
/** Longer than others take to come back to a Postgres that was down. */
const settleMs = 2_000;
/** Longer than the pause between two tries to come back. */
const calmMs = 500;
/** A Postgres that started so recently may still be waiting for others. */
const youngMs = 15_000;
const answerMs = 3_000;
/** Processes reconnect to a store at different times: what was handed over before the last was back is checked too. */
const echoMs = 2_000;
/** Owners with this prefix have a connection that ends with their process. */
const provenPrefix = 'live_';

/** The name is the service's. */
type LivenessOptions = Pick<ConnectionSettings, 'url' | 'applicationName'>;

/**
 * Proves that this process lives, through a connection named after the process. When the process dies, or its host is
 * unreachable for 5 s, Postgres ends the connection. So a dead process's leases are void at once, nobody writes
 * heartbeats, and a slow process is not taken for dead, because its kernel answers for it. Also reports when a process,
 * Redis or Postgres was lost, so that sweeps run at once instead of when leases expire. Behind a pooler a connection
 * proves nothing: there, and while there is no connection, leases end only by time.
 */
export class Liveness implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('liveness');
  private readonly name: string;
  private readonly listeners: (() => void)[] = [];
  private client: ResilientClient | null = null;
  private proven = false;
  private reportedAway = false;
  private others = new Set<string>();
  private echo: NodeJS.Timeout | undefined;
  private lossAtMs = Number.NEGATIVE_INFINITY;
  private outageAtMs = Number.NEGATIVE_INFINITY;
  private watching: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();

  constructor(private readonly options: LivenessOptions) {
    this.name = `${options.applicationName}_${randomUUID().replaceAll('-', '')}`;
  }

  /** What to write into a lease that is taken now; unique to this run of the process. */
  get owner(): string {
    return this.proven ? `${provenPrefix}${this.name}` : this.name;
  }

  /** All owners under which this process may hold leases. */
  get owners(): string[] {
    return [this.name, `${provenPrefix}${this.name}`];
  }

  /** Time in ms since the last event that may have lost work. */
  get sinceLossMs(): number {
    return performance.now() - this.lossAtMs;
  }

  /** Time in ms since Postgres could be reached again; infinite if it always could. */
  get sinceOutageMs(): number {
    return performance.now() - this.outageAtMs;
  }

  onLoss(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Work handed over before may be lost: with a process, with what Redis held, with a transaction. */
  noteLoss(what: string): void {
    this.logger.log({ event: 'liveness.loss', what });
    this.announceLoss();
    clearTimeout(this.echo);
    this.echo = setTimeout(() => this.announceLoss(), echoMs).unref();
  }

  private announceLoss(): void {
    this.lossAtMs = performance.now();
    for (const listener of this.listeners) listener();
  }

  /** Runs before this process takes any lease. */
  async onModuleInit(): Promise<void> {
    await this.connect();
    this.watching = this.watch();
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.echo);
    this.stopping.abort();
    await this.watching;
    await this.end();
  }

  private async watch(): Promise<void> {
    const started = `a process of ${this.options.applicationName} was started`;
    // Work of this process's earlier run is taken up once the others have had time to come back too.
    let lossIn: string | null = started;
    if (await this.diedAlone()) {
      this.note(started);
      lossIn = null;
    }
    while (!this.stopping.signal.aborted) {
      if (!this.client) {
        await this.connect();
        if (!this.client) await this.wait(reconnectMs);
        else {
          lossIn = 'Postgres was unreachable';
          this.outageAtMs = performance.now();
        }
      } else if (lossIn !== null) {
        await this.wait(settleMs);
        if ((await this.look()) === null) continue;
        this.note(lossIn);
        lossIn = null;
      } else {
        await this.wait(lookEveryMs);
        await this.compare();
      }
    }
  }

  /** Whether others run, and nobody comes back just now: then Postgres was not away, only an earlier run of this process. */
  private async diedAlone(): Promise<boolean> {
    const before = await this.look();
    if (!before || before.size < 2 || (await this.isYoung())) return false;
    await this.wait(calmMs);
    const after = await this.look();
    return after !== null && missingFrom(after, before).length === 0;
  }

  private async isYoung(): Promise<boolean> {
    const sql = `SELECT now() - pg_postmaster_start_time() < $1 * interval '1 ms' AS young`;
    const result = await this.client?.query<{ young: boolean }>(sql, [youngMs]).catch(() => null);
    return result?.rows[0]?.young ?? true;
  }

  private async compare(): Promise<void> {
    const known = this.others;
    const missing = missingFrom(known, await this.look());
    if (missing.length === 0) return;
    await this.wait(doubtMs);
    const gone = missingFrom(missing, await this.look());
    if (gone.length > 0) this.note(`${gone.join(', ')} ended`);
  }

  private note(what: string): void {
    if (!this.stopping.signal.aborted) this.noteLoss(what);
  }

  /** @returns the processes that are proven to live; null without an answer */
  private async look(): Promise<Set<string> | null> {
    try {
      const result = await this.client?.query<{ name: string }>(
        `SELECT application_name AS name FROM pg_stat_activity
          WHERE datname = current_database() AND starts_with(application_name, '${provenPrefix}')`,
      );
      if (!result) return null;
      this.others = new Set(result.rows.map(({ name }) => name));
      return this.others;
    } catch (error) {
      this.logger.warn({ event: 'liveness.not_known', error: String(error) });
      await this.end();
      return null;
    }
  }

  private async connect(): Promise<void> {
    const client = new ResilientClient({
      connectionString: this.options.url,
      application_name: `${provenPrefix}${this.name}`,
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
      keepAlive: true,
    });
    try {
      await client.connect();
      client.once('end', () => this.forget(client));
      this.client = client;
      this.proven = await isDirect(client);
      this.reportedAway = false;
    } catch (error) {
      if (!this.reportedAway) this.logger.warn({ event: 'liveness.not_connected', error: String(error) });
      this.reportedAway = true;
      this.forget(client);
      client.end().catch(() => undefined);
    }
  }

  private forget(client: ResilientClient): void {
    if (this.client !== client) return;
    this.client = null;
    this.proven = false;
  }

  private async end(): Promise<void> {
    const { client } = this;
    if (!client) return;
    this.forget(client);
    await client.end().catch(() => undefined);
  }

  private async wait(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}

/**
 * A condition on a lease's owner: a process that had proven that it lives, and no longer does. Only for use after a
 * loss: by then, a process that lost only its connection has a new one.
 */
export const isGone = (owner: string): string =>
  `(starts_with(${owner}, '${provenPrefix}') AND NOT EXISTS (
     SELECT FROM pg_stat_activity alive WHERE alive.application_name = ${owner}))`;

/**
 * Whether a connection ends with its client. A pooler's does not, and names a backend other than the one that answers.
 */
async function isDirect(client: ResilientClient): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const announcedPid = (client as ResilientClient & { processID: number | null }).processID;
  if (announcedPid !== rows[0]?.pid) return false;
  // When this process's host is gone, nobody closes the connection: Postgres probes it every second.
  const probes = ['tcp_keepalives_idle = 2', 'tcp_keepalives_interval = 1', 'tcp_keepalives_count = 3'];
  for (const probe of probes) await client.query(`SET ${probe}`);
  return true;
}

function missingFrom(known: Iterable<string>, now: Set<string> | null): string[] {
  return now === null ? [] : [...known].filter((name) => !now.has(name));
}
