import { until } from '#libs/testing';
import { Liveness } from './liveness.js';
import { Sweeper } from './sweeper.js';

const sweeperOf = (sweep: (limit: number) => Promise<number>, everyMs = 5): Sweeper =>
  new Sweeper({ name: 'test', everyMs, batch: 10, sweep }).start();

describe('a sweeper', () => {
  it('runs one sweep at a time, and again after one that failed', async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    const sweeper = sweeperOf(async (limit) => {
      expect(limit).toBe(10);
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 15));
      running -= 1;
      runs += 1;
      if (runs % 2 === 1) throw new Error('the database is away');
      return 0;
    });
    await until('it has run five times', () => runs >= 5);
    await sweeper.stop();
    expect(most).toBe(1);
  });

  it('continues at once after a full batch, and waits after a smaller one', async () => {
    const left = [10, 10, 3];
    let runs = 0;
    const everyMs = 400;
    let intervals = 0;
    const sweeper = sweeperOf(async () => {
      runs += 1;
      return left.shift() ?? 0;
    }, everyMs);
    const clock = setInterval(() => (intervals += 1), everyMs);
    await until('three batches are taken', () => runs === 3);
    clearInterval(clock);
    expect(intervals).toBeLessThan(2);
    expect(left).toEqual([]);
    await sweeper.stop();
    expect(runs).toBe(3);
  });

  it('sweeps at once after a loss, first runs its loss handler, and runs that again if it failed', async () => {
    const losses = new Liveness({ url: 'postgres://nowhere', applicationName: 'test' });
    const done: string[] = [];
    const sweeper = new Sweeper({
      name: 'test',
      everyMs: 60,
      batch: 10,
      losses,
      afterLoss: async () => {
        done.push('first');
        if (done.length === 1) throw new Error('the database is away');
      },
      sweep: async () => done.push('sweep'),
    }).start();
    losses.noteLoss('a test');
    await until('it has swept', () => done.includes('sweep'));
    await sweeper.stop();
    expect(done.slice(0, 3)).toEqual(['first', 'first', 'sweep']);
  });

  it('rests longer once it found nothing, until it is informed that there is something', async () => {
    const found = [1, 0, 0];
    let runs = 0;
    const sweep = async (): Promise<number> => {
      runs += 1;
      return found.shift() ?? 0;
    };
    const sweeper = new Sweeper({ name: 'test', everyMs: 5, idleMs: 60_000, batch: 10, sweep }).start();
    await until('it ran again, and found nothing', () => runs === 2);
    sweeper.soon();
    await until('it ran at once', () => runs === 3);
    await sweeper.stop();
  });

  it('sweeps again for what was written during a sweep', async () => {
    const gate = Promise.withResolvers<void>();
    let runs = 0;
    const sweep = async (): Promise<number> => {
      runs += 1;
      await gate.promise;
      return 0;
    };
    const sweeper = new Sweeper({ name: 'test', everyMs: 5, idleMs: 60_000, batch: 10, sweep }).start();
    await until('it runs', () => runs === 1);
    sweeper.soon();
    gate.resolve();
    await until('it ran again', () => runs === 2);
    await sweeper.stop();
  });

  it('waits for a running sweep when it stops, begins no other, and tolerates a second stop', async () => {
    const gate = Promise.withResolvers<void>();
    let runs = 0;
    const sweeper = sweeperOf(async () => {
      runs += 1;
      await gate.promise;
      return 10;
    });
    await until('it runs', () => runs === 1);
    let stopped = false;
    const stop = sweeper.stop().then(() => (stopped = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(stopped).toBe(false);
    gate.resolve();
    await stop;
    await sweeper.stop();
    expect(runs).toBe(1);
  });
});
