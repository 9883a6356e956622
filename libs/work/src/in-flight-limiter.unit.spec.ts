import { InFlightLimiter } from './in-flight-limiter.js';

const limiterOf = (limit: number): InFlightLimiter =>
  new InFlightLimiter(limit, (error) => {
    throw error;
  });

describe('an in-flight limiter', () => {
  it('admits as many as its limit, one for each that leaves, in the order in which they came', async () => {
    const limiter = limiterOf(2);
    const entered: number[] = [];
    const places = [0, 1, 2, 3, 4].map(async (n) => {
      const leave = await limiter.enter();
      entered.push(n);
      return leave;
    });
    const first = await places[0]!;
    await places[1];
    expect(entered).toEqual([0, 1]);
    expect(limiter.free).toBe(0);
    first();
    first();
    (await places[2]!)();
    (await places[3]!)();
    await places[4];
    expect(entered).toEqual([0, 1, 2, 3, 4]);
    expect(limiter.free).toBe(0);
  });

  it('has room again when work ends, whether it fails or not', async () => {
    const failures: unknown[] = [];
    const limiter = new InFlightLimiter(2, (error) => failures.push(error));
    limiter.add(Promise.reject(new Error('lost')), await limiter.enter());
    limiter.add(Promise.resolve());
    expect(limiter.free).toBe(0);
    await limiter.drain();
    expect(limiter.free).toBe(2);
    expect(failures).toEqual([new Error('lost')]);
  });
});
