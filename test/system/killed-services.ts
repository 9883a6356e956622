import { testPool } from '#libs/testing';
import type pg from 'pg';
import { hostable, startSystem, type System } from './system.js';

/** Leases short enough that a killed process's work is taken over soon. */
const soon = { TURN_LEASE_MS: '4000', SWEEP_AFTER_MS: '2000' };

/** A system some of whose services have a process each, which are killed in turn. */
export class KilledServices {
  /** So far. */
  kills = 0;
  readonly pool: pg.Pool;

  private constructor(
    private readonly killed: string[],
    readonly system: System,
  ) {
    this.pool = testPool(system.databaseUrl);
  }

  static async start(killed: string[], settings: Record<string, string>): Promise<KilledServices> {
    const hosted = hostable.filter((name) => !killed.includes(name));
    return new KilledServices(killed, await startSystem({ ...soon, ...settings }, { hosted, linked: false }));
  }

  /** Kills one, and starts it again. */
  async kill(): Promise<void> {
    const service = this.killed[this.kills % this.killed.length] ?? '';
    await this.system.kill(service);
    await this.system.restart(service);
    this.kills += 1;
  }

  async count(sql: string): Promise<number> {
    return Number((await this.pool.query(sql)).rows[0].count);
  }

  async stop(): Promise<void> {
    await this.pool.end();
    await this.system.stop();
  }
}
