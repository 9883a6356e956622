import { AwayShards } from './away-shards.js';

describe('a shard whose node is away', () => {
  let away: AwayShards;
  let tries: number;
  let returns: number;
  let answers: boolean;
  let nowMs: number;
  const fails = async (): Promise<void> => {
    tries += 1;
    throw new Error('Command timed out');
  };
  const works = async (): Promise<void> => void (tries += 1);
  const outcomeOf = (send: () => Promise<void>, shard = 1): Promise<string> =>
    away.reach('q', shard, send).then(
      () => 'sent',
      (error: Error) => error.message,
    );
  const look = async (everyMs: number, times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      nowMs += everyMs;
      await away.look();
    }
  };
  const refused = 'the node of q/1 has just not answered';

  beforeEach(() => {
    [tries, returns, nowMs, answers] = [0, 0, 0, false];
    const ask = async (): Promise<void> => {
      if (!answers) throw new Error('Connection is closed.');
    };
    away = new AwayShards(
      ask,
      () => (returns += 1),
      () => nowMs,
    );
  });

  it('is tried once in a while, and refuses meanwhile without a try', async () => {
    expect(await outcomeOf(fails)).toBe('Command timed out');
    expect(await outcomeOf(works)).toBe(refused);
    expect([away.has('q', 1), tries, returns]).toEqual([true, 1, 0]);
    nowMs += 250;
    expect(await outcomeOf(works)).toBe('sent');
    expect([away.has('q', 1), tries]).toEqual([false, 2]);
    expect(await outcomeOf(works)).toBe('sent');
  });

  it('refuses all others while one tries, and keeps no other shard from being reached', async () => {
    await outcomeOf(fails);
    nowMs += 250;
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const tried = outcomeOf(() => answered);
    expect(await outcomeOf(works)).toBe(refused);
    expect(await outcomeOf(works, 2)).toBe('sent');
    answer();
    expect(await tried).toBe('sent');
  });

  it('is known to be back once its node answers, also when nothing is sent to it', async () => {
    await outcomeOf(fails);
    await away.look();
    expect([away.has('q', 1), returns]).toEqual([true, 0]);
    await look(2_000, 1);
    answers = true;
    await away.look();
    expect([away.has('q', 1), returns]).toEqual([false, 0]);
    await look(1_000, 5);
    expect(returns).toBe(1);
    expect(await outcomeOf(works)).toBe('sent');
  });

  it('comes and goes without a return for each time, and has one when it stays', async () => {
    for (let times = 0; times < 20; times += 1) {
      await outcomeOf(fails);
      await look(250, 1);
      expect(await outcomeOf(works)).toBe('sent');
      await look(1_000, 2);
    }
    expect(returns).toBe(0);
    await look(1_000, 5);
    expect(returns).toBe(1);
  });

  it('has no return after a moment, and one with all others that return with it', async () => {
    await outcomeOf(fails);
    nowMs += 250;
    expect(await outcomeOf(works)).toBe('sent');
    await look(1_000, 5);
    expect(returns).toBe(0);
    await Promise.all([outcomeOf(fails), outcomeOf(fails, 2)]);
    await look(2_000, 1);
    answers = true;
    await look(1_000, 10);
    expect(returns).toBe(1);
  });

  it('is not one that refuses for another reason', async () => {
    const message = "OOM command not allowed when used memory > 'maxmemory'.";
    expect(await outcomeOf(() => Promise.reject(new Error(message)))).toBe(message);
    expect(away.has('q', 1)).toBe(false);
  });
});
