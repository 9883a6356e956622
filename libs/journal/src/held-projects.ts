import { Database, type Queryable, Sweeping } from '#libs/database';
import type { FactoryProvider, OnModuleInit } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import type { HoldState } from './project-holds.js';

const readEveryMs = 1_000;
/** What was read longer ago is read again before anybody relies on it: a process may have been frozen. */
const staleMs = 3_000;
/** What must not wait for Postgres waits this long for what it knows. */
const patienceMs = 250;

/**
 * From then on every process has heard of a hold: those that read it late ask before they begin something, and what they
 * had begun has been committed, or never will be.
 */
export const heardOfWithinMs = 10_000;

export interface HeldProject {
  project_id: string;
  organization_id: string;
  state: HoldState;
  peer: string | null;
  /** When people ended the handing on of its webhooks. */
  ended_at: Date | null;
}

/**
 * The projects that are held, in memory, for what every message would have to ask. Claims of rows do not need it: they ask
 * the table itself.
 */
export class HeldProjects extends Sweeping implements OnModuleInit {
  private held = new Map<string, HeldProject>();
  private readAtMs = -Infinity;
  private reading: Promise<void> | null = null;
  private readonly listeners: ((projectId: string) => void)[] = [];

  constructor(private readonly db: Queryable) {
    super();
    const sweep = async (): Promise<number> => {
      await this.read();
      return 0;
    };
    this.sweepEvery({ name: 'held-projects', everyMs: readEveryMs, batch: 1, sweep });
  }

  /** Known before the first request comes. Where Postgres does not answer, what needs it reads it itself. */
  async onModuleInit(): Promise<void> {
    await this.read().catch(() => undefined);
  }

  /** As it was read last. */
  of(projectId: string): HeldProject | null {
    return this.held.get(projectId) ?? null;
  }

  /** Whether that was lately. */
  get isFresh(): boolean {
    return performance.now() - this.readAtMs < staleMs;
  }

  /** As of now, or of some seconds ago at most. @throws Error when it cannot be read */
  async find(projectId: string): Promise<HeldProject | null> {
    if (!this.isFresh) await this.read();
    return this.of(projectId);
  }

  /** As `find`, but as it was read last where Postgres does not answer: what comes then is taken all the same. */
  async soon(projectId: string): Promise<HeldProject | null> {
    if (!this.isFresh) {
      const read = this.read().catch(() => undefined);
      await Promise.race([read, pause(patienceMs, undefined, { ref: false })]);
    }
    return this.of(projectId);
  }

  /** Calls back when a project is not held any longer. */
  onReleased(listener: (projectId: string) => void): void {
    this.listeners.push(listener);
  }

  private read(): Promise<void> {
    this.reading ??= this.readNow().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async readNow(): Promise<void> {
    const atMs = performance.now();
    const rows = (await this.db.query(
      'SELECT project_id, organization_id, state, peer, ended_at FROM journal.project_hold',
    )) as HeldProject[];
    const before = this.held;
    this.held = new Map(rows.map((row) => [row.project_id, row]));
    this.readAtMs = atMs;
    for (const projectId of before.keys()) {
      if (!this.held.has(projectId)) for (const listener of this.listeners) listener(projectId);
    }
  }
}

export const heldProjectsProvider: FactoryProvider<HeldProjects> = {
  provide: HeldProjects,
  useFactory: (db: Database) => new HeldProjects(db),
  inject: [Database],
};
