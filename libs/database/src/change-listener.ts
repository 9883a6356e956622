import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg, { type Connection, type Submittable } from 'pg';
import type { Queryable } from './partitions.js';
import { channelOf } from './change-triggers.js';
import { ResilientClient } from './resilient-client.js';

export interface ChangeListenerSettings {
  /** Postgres itself: a pooler that shares connections by transaction passes no notifications on. */
  url: string;
  applicationName: string;
  /** The schemas whose triggers announce changes. */
  schemas: readonly [string, ...string[]];
}

/** Called with the key of what has changed, or null when anything may have. */
type Heard = (key: string | null) => void;

/** A connection that is cut off silently is detected within these two. */
const pingEveryMs = 5_000;
const answerWithinMs = 3_000;
const retryFirstMs = 250;
/** Where notifications do not come through at all, asking more often gains nothing. */
const retryMostMs = 60_000;
const probePrefix = 'probe ';

/**
 * Listens for changes to what this process caches (LISTEN), whichever replica made them. The cache may be relied on
 * while `listening` is true: when the connection ends or does not answer, that becomes false and everything cached is
 * dropped.
 */
export class ChangeListener {
  private readonly logger = new Logger('changes');
  private readonly heard = new Map<string, Heard[]>();
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private client: pg.Client | null = null;
  private isListening = false;

  /** @param db connections of the service's pool: one of them tests whether notifications come through */
  constructor(
    private readonly db: Queryable,
    private readonly settings: ChangeListenerSettings,
  ) {}

  get listening(): boolean {
    return this.isListening;
  }

  on(topic: string, heard: Heard): void {
    this.heard.set(topic, [...(this.heard.get(topic) ?? []), heard]);
  }

  /** Nest calls this at start. Nothing waits for it: without notifications everything works, with more reads. */
  onApplicationBootstrap(): void {
    this.running = this.keepListening();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.client?.end().catch(() => undefined);
    await this.running;
  }

  /** Resolves when every change committed before the call has been heard, or the cache is no longer relied on. */
  async caughtUp(): Promise<void> {
    const { client } = this;
    if (!client || !this.isListening) return;
    await ping(client).catch(() => this.dropConnection(client));
  }

  private async keepListening(): Promise<void> {
    let waitMs = retryFirstMs;
    while (!this.stopping.signal.aborted) {
      try {
        await this.listen(() => {
          waitMs = retryFirstMs;
        });
      } catch (error) {
        this.logger.warn({ event: 'changes.not_heard', retry_in_ms: waitMs, reason: String(error) });
      }
      this.lost();
      await pause(waitMs, undefined, { signal: this.stopping.signal, ref: false }).catch(() => undefined);
      waitMs = Math.min(2 * waitMs, retryMostMs);
    }
  }

  /** Listens until the connection ends. @throws Error when it cannot, or the connection fails */
  private async listen(onHeard: () => void): Promise<void> {
    const { url, applicationName, schemas } = this.settings;
    const client = new ResilientClient({
      connectionString: url,
      application_name: `${applicationName}-changes`,
      connectionTimeoutMillis: answerWithinMs,
      query_timeout: answerWithinMs,
      keepAlive: true,
    });
    this.client = client;
    const ended = new Promise<never>((_resolve, reject) => client.once('end', () => reject(new Error('it has ended'))));
    ended.catch(() => undefined);
    try {
      // A connection that is ended while it connects never resolves.
      await Promise.race([client.connect(), ended]);
      const probe = `${probePrefix}${randomUUID()}`;
      const arrived = new Promise<void>((resolve) =>
        client.on('notification', ({ payload = '' }) => (payload === probe ? resolve() : this.hear(payload))),
      );
      for (const schema of schemas) await client.query(`LISTEN ${channelOf(schema)}`);
      // On another connection: a pooler may well return what a connection sends to itself.
      await this.db.query('SELECT pg_notify($1, $2)', [channelOf(schemas[0]), probe]);
      await Promise.race([arrived, ended, tooLate(this.stopping.signal)]);
      // What was read before may be of any age.
      this.dropAll();
      this.isListening = true;
      onHeard();
      this.logger.log({ event: 'changes.heard' });
      for (;;) {
        await Promise.race([pause(pingEveryMs, undefined, { signal: this.stopping.signal, ref: false }), ended]);
        await ping(client);
      }
    } catch (error) {
      if (!this.stopping.signal.aborted) throw error;
    } finally {
      await this.dropConnection(client);
    }
  }

  private async dropConnection(client: pg.Client): Promise<void> {
    if (this.client === client) {
      this.client = null;
      this.lost();
    }
    await client.end().catch(() => undefined);
  }

  private lost(): void {
    if (!this.isListening) return;
    this.isListening = false;
    this.dropAll();
  }

  private hear(payload: string): void {
    const space = payload.indexOf(' ');
    if (space < 0 || payload.startsWith(probePrefix)) return;
    const key = payload.slice(space + 1);
    for (const heard of this.heard.get(payload.slice(0, space)) ?? []) heard(key);
  }

  private dropAll(): void {
    for (const heard of [...this.heard.values()].flat()) heard(null);
  }
}

async function tooLate(signal: AbortSignal): Promise<never> {
  await pause(answerWithinMs, undefined, { signal });
  throw new Error('a notification did not arrive: if a pooler is in between, set DATABASE_DIRECT_URL');
}

/** A Sync of the frontend protocol: its answer comes after every pending notification, without a transaction. */
function ping(client: pg.Client): Promise<void> {
  const sync = new Sync();
  client.query(sync);
  return sync.done;
}

class Sync implements Submittable {
  /** pg wraps it, to end a query that takes too long. */
  callback: (error: Error | null) => void = () => undefined;
  readonly done: Promise<void>;

  constructor() {
    this.done = new Promise((resolve, reject) => {
      this.callback = (error) => (error ? reject(error) : resolve());
    });
  }

  submit(connection: Connection): void {
    connection.sync();
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }
}
