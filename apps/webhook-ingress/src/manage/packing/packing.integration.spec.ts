import { timeline } from '#libs/journal';
import { receipt, receiptsWorld, type ReceiptsWorld } from '../../testing/receipts-world.js';
import type { Receipt } from '../../path/receipts/receipt.repository.js';
import { ErasureRepository } from '../erasures/erasure.repository.js';
import { PackingRepository } from './packing.repository.js';

const hourMs = 3_600_000;
const quarterMs = 900_000;
const project = { organizationId: 'org_1', projectId: 'prj_1' };
let world: ReceiptsWorld;
let packing: PackingRepository;

beforeAll(async () => {
  world = await receiptsWorld();
  packing = new PackingRepository(world.db);
});
beforeEach(async () => {
  await world.query('TRUNCATE ingress.receipt');
  await world.query(`INSERT INTO ingress.sweep VALUES (3, now() - interval '1 day')
    ON CONFLICT (id) DO UPDATE SET swept_to = excluded.swept_to`);
});
afterAll(() => world.close());

const headers = { host: 'example.com', 'content-type': 'application/json', 'x-list': ['a', 'b\n'] };
const bytes = Buffer.concat([Buffer.from('words of a person, '.repeat(50)), Buffer.from([0, 0xff, 0x0a, 0x80])]);
const anHourAgo = (change: Partial<Receipt> = {}): Receipt =>
  receipt({
    receivedAt: new Date(Date.now() - hourMs),
    url: '/api/v1/webhooks/tok?ü=1',
    headers,
    body: bytes,
    ...change,
  });

async function stored(...made: Receipt[]): Promise<Receipt[]> {
  const writer = world.writer();
  for (const one of made) await writer.write(one, null);
  return made;
}

const rowOf = async ({ id }: Receipt) =>
  (
    await world.query<{ size: number; packed_bytes: number | null; url: string; headers: string }>(
      'SELECT octet_length(body) AS size, packed_bytes, url, headers FROM ingress.receipt WHERE id = $1',
      [id],
    )
  )[0]!;

describe('packing', () => {
  it('gives back what came, byte for byte, from a smaller row', async () => {
    const [made] = await stored(anHourAgo());
    expect(await packing.packOlder(quarterMs, 10)).toBe(1);
    expect(await rowOf(made!)).toMatchObject({ packed_bytes: bytes.length, url: '', headers: '' });
    expect((await rowOf(made!)).size).toBeLessThan(bytes.length / 4);
    expect(await world.receipts.find(made!.id)).toEqual(made);
    const [received] = await timeline(world.db, 'org_1', 'prj_1', made!.id);
    expect(received?.detail).toMatchObject({ bytes: bytes.length });
  });

  it('leaves what is young, empty, large or would not become smaller, and goes on after it', async () => {
    const noise = Buffer.from(Array.from({ length: 3_000 }, (_, n) => (n * n * 7_919 + n * 104_729) >> (n % 11)));
    const left = await stored(
      anHourAgo({ body: Buffer.alloc(0) }),
      anHourAgo({ body: Buffer.alloc(70_000, 'large ') }),
      anHourAgo({ url: '/', headers: {}, body: noise }),
      receipt({ body: bytes }),
    );
    const [after] = await stored(anHourAgo({ receivedAt: new Date(Date.now() - hourMs / 2) }));
    for (let passed = 1; passed > 0;) passed = await packing.packOlder(quarterMs, 2);
    for (const one of left) expect(await rowOf(one)).toMatchObject({ packed_bytes: null, url: one.url });
    expect((await rowOf(after!)).packed_bytes).toBe(bytes.length);
    expect(await world.receipts.findAll(left.map(({ id }) => id))).toHaveLength(left.length);
  });

  it('packs all receipts of a millisecond within which a batch ends', async () => {
    const at = new Date(Date.now() - hourMs);
    const made = await stored(
      ...[0, 1].flatMap((ms) => [1, 2].map(() => anHourAgo({ receivedAt: new Date(at.getTime() + ms) }))),
    );
    for (let passed = 1; passed > 0;) passed = await packing.packOlder(quarterMs, 3);
    expect((await Promise.all(made.map(rowOf))).map((row) => row.packed_bytes)).toEqual(made.map(() => bytes.length));
  });

  it('looks once at what is old where nothing of it is to be packed, and never back', async () => {
    const markAge = async (): Promise<number> => {
      const [row] = await world.query<{ age: number }>(
        'SELECT extract(epoch FROM now() - swept_to)::float8 AS age FROM ingress.sweep WHERE id = 3',
      );
      return row!.age;
    };
    await stored(anHourAgo({ body: Buffer.alloc(0) }));
    expect(await packing.packOlder(quarterMs, 10)).toBe(0);
    const age = await markAge();
    expect(age).toBeGreaterThanOrEqual(quarterMs / 1_000);
    expect(age).toBeLessThan(quarterMs / 1_000 + 60);
    expect(await packing.packOlder(2 * quarterMs, 10)).toBe(0);
    expect(await markAge()).toBeLessThan(quarterMs / 1_000 + 120);
  });

  it('is done by one replica at a time', async () => {
    await stored(anHourAgo());
    await world.db.transaction(async (tx) => {
      await tx.query('SELECT FROM ingress.sweep WHERE id = 3 FOR UPDATE');
      expect(await packing.packOlder(quarterMs, 10)).toBe(0);
    });
    expect(await packing.packOlder(quarterMs, 10)).toBe(1);
  });

  it('leaves nothing of a receipt that is erased before or after', async () => {
    const [before, after, older] = await stored(anHourAgo(), anHourAgo(), anHourAgo());
    const erasures = new ErasureRepository(world.db);
    await erasures.erase(project, [before!.id]);
    await packing.packOlder(quarterMs, 10);
    await erasures.erase(project, [after!.id]);
    // As a process of the release before erases.
    await world.query(`UPDATE ingress.receipt SET body = '', headers = '{}', url = '/' WHERE id = $1`, [older!.id]);
    const read = await world.receipts.findAll([before!.id, after!.id, older!.id]);
    expect(read.map(({ body, url, headers: left }) => [body.length, url, left])).toEqual(read.map(() => [0, '/', {}]));
    expect(read).toHaveLength(3);
    const [received] = await timeline(world.db, 'org_1', 'prj_1', older!.id);
    expect(received?.detail).toMatchObject({ bytes: 0 });
  });
});
