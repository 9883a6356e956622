import { JobClient } from '#libs/queue';
import {
  freePort,
  type RedisDatabase,
  takeRedisDatabase,
  testDatabase,
  type TestDatabase,
  testPool,
} from '#libs/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { fakeModel, type FakeModel } from '../../apps/engine/src/testing/fake-model.js';
import { engineAnswers, soon, spawnEngine } from './engine-process.js';
import type { ServiceProcess } from './service-process.js';

/** For engines that are killed so often that no turn may be taken for the cause. */
export const oftenKilled = { POISON_KILLS: '100', POISON_TRIAL_MS: '100', TURN_MAX_ATTEMPTS: '1000' };

/** Engines as processes without the other services, on one database, queues and model: each can be killed. */
export class LoneEngines {
  readonly all: ServiceProcess[] = [];
  readonly pool: pg.Pool;
  readonly jobs: JobClient;
  private readonly dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-engines-'));

  private constructor(
    readonly database: TestDatabase,
    readonly redis: RedisDatabase,
    readonly model: FakeModel,
  ) {
    this.pool = testPool(database.url);
    this.jobs = new JobClient(redis.url);
  }

  static async open(): Promise<LoneEngines> {
    return new LoneEngines(...(await Promise.all([testDatabase(), takeRedisDatabase(), fakeModel()])));
  }

  /** The one that was started last. */
  get last(): ServiceProcess | undefined {
    return this.all.at(-1);
  }

  /** Starts another one. @returns its address, once it is ready */
  async start(settings: Record<string, string> = {}): Promise<string> {
    const port = await freePort();
    this.all.push(
      spawnEngine({
        port,
        databaseUrl: this.database.url,
        redisUrl: this.redis.url,
        modelUrl: this.model.url,
        logFile: join(this.dataDir, `engine-${this.all.length}.log`),
        settings: { ...soon, ...settings },
      }),
    );
    await engineAnswers(port);
    return `http://127.0.0.1:${port}`;
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((engine) => engine.kill()));
    await this.jobs.close();
    await this.pool.end();
    await Promise.all([this.model.close(), this.database.drop(), this.redis.release()]);
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
