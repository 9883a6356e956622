import { restoreLogs, silenceLogs } from '#libs/testing';
import type { RedisConnection } from '../connection.js';
import type { ShardMarks } from '../shard-marks.js';
import { RedisHealth } from './redis-health.js';
import { RedisProbe } from './redis-probe.js';

describe('the probe of Redis', () => {
  let nowMs: number;
  let asked: number;
  let health: RedisHealth;
  let probe: RedisProbe;

  beforeEach(() => {
    silenceLogs();
    [nowMs, asked] = [0, 0];
    const now = (): number => nowMs;
    health = new RedisHealth(now);
    const redis: Pick<RedisConnection, 'info'> = {
      info: async () => {
        asked += 1;
        return 'loading:0';
      },
    };
    const marks: Pick<ShardMarks, 'look' | 'check'> = { look: async () => undefined, check: async () => undefined };
    const away = { look: async () => undefined };
    probe = new RedisProbe(redis as RedisConnection, health, marks as ShardMarks, away, [], now);
  });
  afterEach(restoreLogs);

  async function pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      nowMs += 1_000;
      await probe.look();
    }
  }

  it('asks every five seconds while Redis works', async () => {
    await pass(20);
    expect(asked).toBe(4);
  });

  it('asks every second while it does not, so that its return is known three seconds after the last trouble', async () => {
    let recoveredMs = 0;
    health.onRecovery(() => (recoveredMs = nowMs));
    await pass(6);
    health.note(new Error('Command timed out'));
    await pass(6);
    expect(recoveredMs).toBe(9_000);
  });
});
