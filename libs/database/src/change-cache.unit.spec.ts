import { ChangeCache } from './change-cache.js';

const away = new Error('the store is away');

let heard: (key: string | null) => void;
let changes: { listening: boolean; on: (topic: string, heard: (key: string | null) => void) => void };
let cache: ChangeCache<string>;
let reads: PromiseWithResolvers<string>[];

const read = (): Promise<string> => {
  const made = Promise.withResolvers<string>();
  reads.push(made);
  return made.promise;
};
const get = (): Promise<string> => cache.current('key', read);

beforeEach(async () => {
  reads = [];
  changes = { listening: true, on: (_topic, each) => void (heard = each) };
  const outage = { is: (error: unknown) => error === away, keptMs: 60_000, unheard: true };
  cache = new ChangeCache(changes, { topic: 'value', maxKept: 10, keptMs: 60_000, unheardMs: 0, outage });
  const first = get();
  reads[0]?.resolve('known');
  await first;
  changes.listening = false;
  heard(null);
});

describe('during an outage of what is read and of what tells of changes', () => {
  it('the last value is given to all, also where slow reads have replaced each other', async () => {
    const asked = [get(), get(), get()];
    expect(reads).toHaveLength(4);
    for (const each of reads.slice(1)) each.reject(away);
    expect(await Promise.all(asked)).toEqual(['known', 'known', 'known']);
  });

  it('nobody waits for the next read for a moment after one has failed', async () => {
    const asked = get();
    const slow = get();
    reads[1]?.reject(away);
    expect(await asked).toBe('known');
    expect(await get()).toBe('known');
    expect(reads).toHaveLength(3);
    reads[2]?.resolve('new');
    expect(await slow).toBe('new');
  });

  it('what one of several reads at a time still finds is given to those that fail', async () => {
    const asked = [get(), get(), get()];
    reads[1]?.resolve('new');
    expect(await asked[0]).toBe('new');
    for (const each of reads.slice(2)) each.reject(away);
    expect(await Promise.all(asked)).toEqual(['new', 'new', 'new']);
  });

  it('what a later read has found by then is given to those that fail after it', async () => {
    const asked = [get(), get()];
    reads[2]?.resolve('new');
    expect(await asked[1]).toBe('new');
    reads[1]?.reject(away);
    expect(await asked[0]).toBe('new');
  });

  it('a value is read again as soon as changes are heard again', async () => {
    const asked = get();
    reads[1]?.reject(away);
    await asked;
    changes.listening = true;
    heard(null);
    const next = get();
    reads[2]?.resolve('new');
    expect(await next).toBe('new');
  });

  it('a read that lasts until changes are heard again has the last value when it fails', async () => {
    const asked = get();
    changes.listening = true;
    heard(null);
    reads[1]?.reject(away);
    expect(await asked).toBe('known');
  });

  it('a value that is heard to have changed is not given any more', async () => {
    const asked = get();
    changes.listening = true;
    heard('key');
    reads[1]?.reject(away);
    await expect(asked).rejects.toBe(away);
  });
});
