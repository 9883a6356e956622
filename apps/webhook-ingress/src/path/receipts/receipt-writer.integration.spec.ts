import { until } from '#libs/testing';
import { createHash } from 'node:crypto';
import { receipt, receiptsWorld, type ReceiptsWorld } from '../../testing/receipts-world.js';
import type { DeliveryKey, Receipt, Written } from './receipt.repository.js';
import type { ReceiptWriter } from './receipt-writer.js';

let world: ReceiptsWorld;
let writer: ReceiptWriter;

beforeAll(async () => {
  world = await receiptsWorld();
  writer = world.writer();
});
afterAll(() => world.close());
beforeEach(() => world.query('TRUNCATE ingress.receipt, ingress.delivery_key'));

const sha = (text: string): string => createHash('sha256').update(text).digest('binary');
const keyOf = (name: string, body = 'same'): DeliveryKey => ({ hash: sha(name), bodyHash: sha(body) });
const count = async (): Promise<number> =>
  Number((await world.query<{ n: string }>('SELECT count(*) AS n FROM ingress.receipt'))[0]!.n);
const outcomes = (writes: Promise<Written>[]): Promise<string[]> =>
  Promise.allSettled(writes).then((settled) => settled.map(({ status }) => status));

describe('a receipt', () => {
  const rows: [string, Partial<Receipt>][] = [
    ['as it is mostly', {}],
    ['with every field set', { outcome: 'held', reason: 'delivery_id_reused', verifiedScheme: 'hmac' }],
    ['with every field null that may be', { reason: null, verifiedScheme: null }],
    ['of several bytes a letter', { url: '/héé/€/😀?q=日本語', headers: { 'x-name': 'Zoë 😀', 'x-many': ['ä', '€'] } }],
    ['with quotes, tabs, backslashes and newlines', { url: '/"\\\t\n\\N', headers: { a: '\\.\n"\'\u0001' } }],
    ['without a body', { body: Buffer.alloc(0), url: '', headers: {} }],
    ['with a body of any bytes', { body: Buffer.from(Array.from({ length: 1024 }, (_, n) => n % 256)) }],
    ['with a body of 1 MB', { body: Buffer.alloc(1_048_576, 0xe2) }],
    ['of another day, to the millisecond', { receivedAt: new Date('2001-02-03T04:05:06.789Z') }],
    ['from before the year 2000', { receivedAt: new Date('1999-12-31T23:59:59.999Z') }],
  ];
  it.each(rows)('%s is read as it was written', async (_name, change) => {
    const one = receipt(change);
    expect(await writer.write(one, null)).toEqual({ stored: true });
    expect(await world.receipts.find(one.id)).toEqual(one);
  });

  it('is read as it was written among 300 others of all sizes', async () => {
    const all = Array.from({ length: 300 }, (_, n) =>
      receipt({ body: Buffer.alloc(n * 37, n % 256), url: '€'.repeat(n) }),
    );
    await Promise.all(all.map((one) => writer.write(one, null)));
    expect(await world.receipts.findAll(all.map(({ id }) => id).toReversed())).toEqual(all);
  });
});

describe('a sender that repeats what was stored', () => {
  it('has Postgres refuse a batch once, not each time', async () => {
    const refused = async (): Promise<number> => {
      await world.db.query('SELECT pg_stat_force_next_flush()');
      const [row] = await world.db.query<{ n: string }[]>(
        'SELECT xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()',
      );
      return Number(row!.n);
    };
    const other = world.writer();
    await other.write(receipt(), keyOf('first'));
    const before = await refused();
    for (let n = 0; n < 5; n += 1) {
      expect(await other.write(receipt(), keyOf('first'))).toMatchObject({ stored: false, sameBody: true });
    }
    expect(await other.write(receipt(), keyOf('second'))).toEqual({ stored: true });
    // Its connection tells what it did when it ends.
    await other.onApplicationShutdown();
    await until('the refusal is counted', async () => (await refused()) > before);
    expect(await refused()).toBe(before + 1);
  });
});

describe('a batch that Postgres refuses', () => {
  it('rejects the receipt at fault, and stores the others', async () => {
    // NUL is the one character that Postgres cannot store in a text.
    const batch = [receipt(), receipt({ url: '/a\0b' }), receipt()];
    expect(await outcomes(batch.map((one) => writer.write(one, null)))).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await count()).toBe(2);
    await writer.write(receipt(), null);
    expect(await count()).toBe(3);
  });

  it('leaves no key behind that would make its receipts duplicates', async () => {
    const [one, other] = [receipt(), receipt()];
    const bad = receipt({ url: '/a\0b' });
    expect(await outcomes([writer.write(one, keyOf('k1')), writer.write(bad, keyOf('k2'))])).toEqual([
      'fulfilled',
      'rejected',
    ]);
    expect(await writer.write(other, keyOf('k2'))).toEqual({ stored: true });
    expect(await count()).toBe(2);
  });

  it('is rejected when its connection breaks midway, and the next one is written', async () => {
    await writer.write(receipt(), null);
    const runner = world.db.createQueryRunner();
    await runner.query('BEGIN');
    await runner.query('LOCK TABLE ingress.receipt IN ACCESS EXCLUSIVE MODE');
    const writes = outcomes(Array.from({ length: 20 }, () => writer.write(receipt(), null)));
    await until('the batch waits for the lock', async () => {
      const rows = await world.query(
        `SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid)
          WHERE NOT l.granted AND a.application_name = 'webhook-ingress-receipts' AND a.datname = current_database()`,
      );
      return rows.length > 0;
    });
    await world.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'webhook-ingress-receipts' AND datname = current_database()`,
    );
    expect(new Set(await writes)).toEqual(new Set(['rejected']));
    await runner.query('ROLLBACK');
    await runner.release();
    expect(await count()).toBe(1);
    world.postgres.cut();
    expect(await outcomes([writer.write(receipt(), null)])).toEqual(['rejected']);
    world.postgres.mend();
    await writer.write(receipt(), null);
    expect(await count()).toBe(2);
  });
});

describe('a receipt that has waited too long', () => {
  it('is refused, with its key, and the receipts beside it are written', async () => {
    const impatient = world.writer(256, 10_000);
    const late = receipt({ receivedAt: new Date(Date.now() - 6_000) });
    const [before, after, repeated] = [receipt(), receipt(), receipt()];
    const writes = [impatient.write(before, null), impatient.write(late, keyOf('k')), impatient.write(after, null)];
    expect(await outcomes(writes)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await outcomes([impatient.write(late, null)])).toEqual(['rejected']);
    expect(await world.receipts.find(late.id)).toBeNull();
    expect(await impatient.write(repeated, keyOf('k'))).toEqual({ stored: true });
    expect(await count()).toBe(3);
  });
});

describe('a delivery key', () => {
  it('stores the first of its receipts in a batch, and gives the others its id and whether the body was the same', async () => {
    const [first, same, other, apart, none] = [receipt(), receipt(), receipt(), receipt({ appId: 'app_2' }), receipt()];
    const written = await Promise.all([
      writer.write(first, keyOf('k')),
      writer.write(same, keyOf('k')),
      writer.write(other, keyOf('k', 'other')),
      writer.write(apart, keyOf('k')),
      writer.write(none, null),
    ]);
    expect(written).toEqual([
      { stored: true },
      { stored: false, firstId: first.id, sameBody: true },
      { stored: false, firstId: first.id, sameBody: false },
      { stored: true },
      { stored: true },
    ]);
    expect(await count()).toBe(3);
  });

  it('is won by one of two writers, without a deadlock, for 1,000 keys that both want', async () => {
    const names = Array.from({ length: 1_000 }, (_, n) => `key ${n}`);
    const writers = [world.writer(100), world.writer(100)];
    const writes = writers.flatMap((one, index) =>
      (index === 0 ? names : names.toReversed()).map(async (name) => {
        const mine = receipt();
        return { name, id: mine.id, written: await one.write(mine, keyOf(name)) };
      }),
    );
    const results = await Promise.all(writes);
    const winners = new Map(results.filter(({ written }) => written.stored).map(({ name, id }) => [name, id]));
    expect(winners.size).toBe(1_000);
    expect(results.filter(({ written }) => written.stored)).toHaveLength(1_000);
    for (const { name, written } of results) if (!written.stored) expect(written.firstId).toBe(winners.get(name));
    expect(await count()).toBe(1_000);
  });

  it('that is already known does not affect what is written beside it, however large that is', async () => {
    const first = receipt();
    await writer.write(first, keyOf('taken'));
    const large = Array.from({ length: 12 }, (_, n) => receipt({ body: Buffer.alloc(1_048_576, n) }));
    const written = await Promise.all([
      ...large.map((one, n) => writer.write(one, keyOf(`large ${n}`))),
      writer.write(receipt(), keyOf('taken')),
    ]);
    expect(written.slice(0, -1).every(({ stored }) => stored)).toBe(true);
    expect(written.at(-1)).toEqual({ stored: false, firstId: first.id, sameBody: true });
    const found = await world.receipts.findAll(large.map(({ id }) => id));
    expect(found.map(({ body }, n) => body.equals(large[n]!.body))).toEqual(large.map(() => true));
  });

  it('whose write is cut off has its receipt or is free: sent again, each is stored once', async () => {
    const names = Array.from({ length: 400 }, (_, n) => `cut ${n}`);
    const impatient = world.writer(20);
    const send = async (name: string): Promise<boolean> => {
      const mine = receipt();
      const written = await impatient.write(mine, keyOf(name)).catch(() => null);
      if (!written) return false;
      const id = written.stored ? mine.id : written.firstId;
      expect(await world.receipts.find(id)).toMatchObject({ id });
      return true;
    };
    let cuts = 0;
    let left = names;
    while (left.length > 0) {
      const answers = left.map(async (name) => ((await send(name)) ? [] : [name]));
      if (cuts < 5) {
        await Promise.race(answers);
        await world.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name = 'webhook-ingress-receipts' AND datname = current_database()`,
        );
        cuts += 1;
      }
      left = (await Promise.all(answers)).flat();
    }
    expect(await count()).toBe(names.length);
    const keys = await world.query(
      'SELECT 1 FROM ingress.delivery_key JOIN ingress.receipt ON receipt.id = receipt_id',
    );
    expect(keys).toHaveLength(names.length);
  });
});
