import { Batcher, type BatcherOptions } from './batcher.js';

/** A flush that the test ends. */
interface Held {
  items: number[];
  end: (error?: Error) => void;
}

function held(options: Partial<BatcherOptions> = {}): { batcher: Batcher<number, string>; flushes: Held[] } {
  const flushes: Held[] = [];
  const flush = (items: number[]): Promise<string[]> =>
    new Promise((resolve, reject) => {
      const end = (error?: Error): void => (error ? reject(error) : resolve(items.map((item) => `r${item}`)));
      flushes.push({ items, end });
    });
  return { batcher: new Batcher(flush, { maxItems: 3, maxWaitMs: 0, maxRunning: 1, ...options }), flushes };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a batcher', () => {
  it('flushes what was added in one turn of the event loop together, at once, and gives each item its own result', async () => {
    const { batcher, flushes } = held();
    const results = [batcher.add(1), batcher.add(2)];
    expect(flushes).toEqual([]);
    await turn();
    expect(flushes.map(({ items }) => items)).toEqual([[1, 2]]);
    flushes[0]!.end();
    expect(await Promise.all(results)).toEqual(['r1', 'r2']);
  });

  it('keeps to its size and to one flush at a time; what is added meanwhile goes next, in order', async () => {
    const { batcher, flushes } = held();
    const results = [1, 2, 3, 4, 5, 6, 7].map((item) => batcher.add(item));
    await turn();
    expect(flushes.map(({ items }) => items)).toEqual([[1, 2, 3]]);
    expect(batcher.pending).toBe(4);
    results.push(batcher.add(8));
    for (const expected of [
      [4, 5, 6],
      [7, 8],
    ]) {
      flushes.at(-1)!.end();
      await turn();
      await turn();
      expect(flushes.at(-1)!.items).toEqual(expected);
    }
    flushes.at(-1)!.end();
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((item) => `r${item}`));
    expect(flushes).toHaveLength(3);
  });

  it('starts the next flush before the items of the last one continue', async () => {
    const { batcher, flushes } = held();
    const inFlight: number[] = [];
    const first = batcher.add(1).then(() => inFlight.push(flushes.length));
    await turn();
    const second = batcher.add(2);
    flushes[0]!.end();
    await first;
    expect(inFlight).toEqual([2]);
    flushes[1]!.end();
    await second;
  });

  it('runs as many concurrent flushes as it may, and no more', async () => {
    const { batcher, flushes } = held({ maxRunning: 2 });
    const results = Array.from({ length: 10 }, (_, item) => batcher.add(item));
    await turn();
    expect(flushes).toHaveLength(2);
    flushes[1]!.end();
    await turn();
    await turn();
    expect(flushes.map(({ items }) => items.length)).toEqual([3, 3, 3]);
    flushes.forEach(({ end }) => end());
    await turn();
    await turn();
    flushes.at(-1)!.end();
    expect(await Promise.all(results)).toHaveLength(10);
  });

  it('rejects each item of a flush that fails, and only those', async () => {
    const { batcher, flushes } = held();
    const results = Promise.allSettled([1, 2, 3, 4].map((item) => batcher.add(item)));
    await turn();
    flushes[0]!.end(new Error('broken'));
    await turn();
    await turn();
    flushes[1]!.end();
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'fulfilled']);
  });

  it('finds the item that makes a flush fail, and rejects only that one', async () => {
    const flushed: number[][] = [];
    const flush = async (items: number[]): Promise<string[]> => {
      flushed.push(items);
      if (items.includes(6) || items.includes(7)) throw new TypeError('bad item');
      return items.map((item) => `r${item}`);
    };
    const failsByItem = (error: unknown) => error instanceof TypeError;
    const batcher = new Batcher(flush, { maxItems: 8, maxWaitMs: 0, maxRunning: 1, failsByItem });
    const settled = await Promise.allSettled([1, 2, 3, 4, 5, 6, 7, 8].map((item) => batcher.add(item)));
    expect(settled.map((each) => (each.status === 'fulfilled' ? each.value : each.status))).toEqual([
      'r1',
      'r2',
      'r3',
      'r4',
      'r5',
      'rejected',
      'rejected',
      'r8',
    ]);
    expect(flushed[0]).toHaveLength(8);
  });

  it('rejects the item whose result is an error, and no other', async () => {
    const flush = async (items: number[]): Promise<(string | Error)[]> =>
      items.map((item) => (item === 2 ? new RangeError('too late') : `r${item}`));
    const batcher = new Batcher(flush, { maxItems: 8, maxWaitMs: 0, maxRunning: 1 });
    const [one, two, three] = [1, 2, 3].map((item) => batcher.add(item));
    await expect(two).rejects.toThrow(new RangeError('too late'));
    expect(await Promise.all([one, three])).toEqual(['r1', 'r3']);
  });

  it('does not retry where no item is to blame', async () => {
    const { batcher, flushes } = held({ failsByItem: (error) => error instanceof TypeError });
    const results = Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
    await turn();
    flushes[0]!.end(new Error('no connection'));
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await turn();
    expect(flushes).toHaveLength(1);
  });

  it('also rejects its items when the flush throws synchronously', async () => {
    const batcher = new Batcher<number>(
      () => {
        throw new Error('at once');
      },
      { maxItems: 3, maxWaitMs: 0, maxRunning: 1 },
    );
    await expect(batcher.add(1)).rejects.toThrow('at once');
    await expect(batcher.add(2)).rejects.toThrow('at once');
  });

  it('lets the first item wait for more when configured to, but not when the batch is full', async () => {
    const { batcher, flushes } = held({ maxWaitMs: 60_000 });
    const results = [batcher.add(1), batcher.add(2)];
    await turn();
    expect(flushes).toEqual([]);
    results.push(batcher.add(3));
    expect(flushes.map(({ items }) => items)).toEqual([[1, 2, 3]]);
    flushes[0]!.end();
    await Promise.all(results);
  });

  it('drains: waits for running flushes, and flushes what waits', async () => {
    const { batcher, flushes } = held({ maxWaitMs: 60_000 });
    const results = [1, 2, 3, 4].map((item) => batcher.add(item));
    let drained = false;
    const drain = batcher.drain().then(() => (drained = true));
    await turn();
    expect(flushes).toHaveLength(1);
    flushes[0]!.end();
    await turn();
    await turn();
    expect(flushes[1]?.items).toEqual([4]);
    expect(drained).toBe(false);
    flushes[1]!.end(new Error('lost'));
    await drain;
    expect((await Promise.allSettled(results)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
    expect(batcher.pending).toBe(0);
  });
});
