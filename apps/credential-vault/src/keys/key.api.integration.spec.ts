import { randomBytes } from 'node:crypto';
import { OperationsServer } from '#libs/service-kit';
import { KekRing } from '../sealing/kek-ring.js';
import { asService, unboundPolicy, vaultWorld, type VaultWorld } from '../testing/vault-world.js';

const [k1, k2] = [randomBytes(32), randomBytes(32)];
const both = (primary: string): KekRing =>
  new KekRing(
    primary,
    new Map([
      ['k1', k1],
      ['k2', k2],
    ]),
  );
const operator = asService('credential-vault');
let vault: VaultWorld;
let ids: string[];

beforeEach(async () => {
  vault = await vaultWorld(new KekRing('k1', new Map([['k1', k1]])), { SERVICE_POLICY: unboundPolicy });
  ids = [];
  for (let n = 0; n < 25; n += 1) {
    const body = { name: `c${n}`, type: 'text', fields: { a: `value ${n}`, b: 'same' } };
    ids.push((await vault.call('POST', 'credentials', body)).body.id);
  }
});
afterEach(() => vault.close());

const resolve = (credential_id: string) => vault.internal('POST', 'credentials/resolve', { credential_id });
const rewrap = async (body: object = {}) =>
  (await vault.internal('POST', 'keys/rewrap', { to: 'k2', ...body }, operator)).body;
const counts = async () => {
  const { keys } = (await vault.internal('GET', 'keys', undefined, operator)).body;
  return Object.fromEntries(keys.map(({ kid, deks }) => [kid, deks]));
};

describe('the rotation of the KEK', () => {
  it('tells an organization how much of what it stores is rewrapped', async () => {
    const progress = async () => (await vault.call('GET', 'key-rotation')).body;
    const k1 = { kid: 'k1', in_ring: true };
    expect(await progress()).toEqual({ keys: [{ ...k1, data_keys: 25, primary: true }], left: 0 });
    await vault.restart({ GATEHOUSE_KEK_RING: both('k2') });
    const k2 = { kid: 'k2', in_ring: true, primary: true };
    expect(await progress()).toEqual({
      keys: [
        { ...k1, data_keys: 25, primary: false },
        { ...k2, data_keys: 0 },
      ],
      left: 25,
    });
    await rewrap();
    expect(await progress()).toMatchObject({ keys: [{ data_keys: 0 }, { data_keys: 25 }], left: 0 });
  });

  it('wraps every data key under the new primary, after which the old key may be removed', async () => {
    await vault.restart({ GATEHOUSE_KEK_RING: both('k2') });
    expect(await counts()).toEqual({ k1: 25, k2: 0 });
    expect(await rewrap({ batch: 10 })).toEqual({ rewrapped: 25, failed: [], finished: true });
    expect(await counts()).toEqual({ k1: 0, k2: 25 });
    await vault.restart({ GATEHOUSE_KEK_RING: new KekRing('k2', new Map([['k2', k2]])) });
    for (const [n, id] of ids.entries()) expect((await resolve(id)).body.fields.a).toBe(`value ${n}`);
  });

  it('stops after its time and resumes where it was, in several processes at once', async () => {
    await vault.restart({ GATEHOUSE_KEK_RING: both('k2') });
    const partly = await rewrap({ batch: 1, budget_ms: 1 });
    expect(partly.finished).toBe(false);
    const runs = await Promise.all([rewrap({ batch: 3 }), rewrap({ batch: 3 }), rewrap({ batch: 3 })]);
    await rewrap();
    const sum = [partly, ...runs].reduce((total, run) => total + run.rewrapped, 0);
    expect(sum).toBeLessThanOrEqual(25);
    expect(await counts()).toEqual({ k1: 0, k2: 25 });
  });

  it('fails no read while it runs', async () => {
    await vault.restart({ GATEHOUSE_KEK_RING: both('k2'), DEK_CACHE_MS: 0 });
    let running = true;
    const statuses = new Set<number>();
    const readers = Promise.all(
      [0, 1].map(async (offset) => {
        for (let n = offset; running; n += 1) statuses.add((await resolve(ids[n % 25]!)).status);
      }),
    );
    for (let pass = 0; pass < 5; pass += 1) {
      await rewrap({ batch: 2 });
      await vault.query("UPDATE vault.credential SET name = name || '.' WHERE kid = 'k2'");
    }
    running = false;
    await readers;
    expect([...statuses]).toEqual([200]);
  });

  it('leaves a row that does not open unchanged, names it, and skips it', async () => {
    await vault.query('UPDATE vault.credential SET wrapped_dek = $1 WHERE id = $2', [randomBytes(61), ids[3]]);
    await vault.restart({ GATEHOUSE_KEK_RING: both('k2') });
    expect(await rewrap({ batch: 2 })).toEqual({ rewrapped: 24, failed: [ids[3]], finished: true });
    expect(await counts()).toEqual({ k1: 1, k2: 24 });
    const metrics = (await vault.app.get(OperationsServer).http.inject('/metrics')).body;
    expect(metrics).toMatch(/gatehouse_vault_deks\{kid="k1",service="credential-vault"\} 1/);
    expect(metrics).toMatch(/gatehouse_vault_rewrapped_total\{service="credential-vault"\} 24/);
  });

  it('is refused by a replica that still has the old primary', async () => {
    expect(await rewrap()).toMatchObject({ status: 409, code: 'not_primary' });
    expect(await counts()).toEqual({ k1: 25 });
  });

  it('is for the vault only', async () => {
    for (const url of ['keys/rewrap', 'keys/reseal']) {
      const body = { before: new Date().toISOString() };
      const payload = url.endsWith('reseal') ? body : { to: 'k1' };
      expect((await vault.internal('POST', url, payload)).body.code).toBe('not_in_policy');
    }
  });
});

it('new data keys after a compromise: the same values under new keys', async () => {
  const keysOf = () => vault.query('SELECT id, wrapped_dek, generation FROM vault.credential ORDER BY id');
  const before = await keysOf();
  const cutoff = new Date(Date.now() + 1_000).toISOString();
  let cursor: string | null = '';
  let resealed = 0;
  while (cursor !== null) {
    const body: object = { before: cutoff, batch: 10, ...(cursor ? { cursor } : {}) };
    const answer = (await vault.internal('POST', 'keys/reseal', body, operator)).body;
    resealed += answer.resealed;
    cursor = answer.cursor;
  }
  expect(resealed).toBe(25);
  const after = await keysOf();
  for (const [n, row] of after.entries()) expect(row['wrapped_dek']).not.toEqual(before[n]?.['wrapped_dek']);
  expect(after.map((row) => row['generation'])).toEqual(before.map((row) => row['generation']));
  for (const [n, id] of ids.entries()) expect((await resolve(id)).body.fields).toEqual({ a: `value ${n}`, b: 'same' });
});

it('a credential that does not open says so, and is active again once its key is back', async () => {
  const statusOf = async () => (await vault.call('GET', `credentials/${ids[0]}`)).body.status;
  const [row] = await vault.query('SELECT wrapped_dek FROM vault.credential WHERE id = $1', [ids[0]]);
  const put = (dek: unknown) =>
    vault.query('UPDATE vault.credential SET wrapped_dek = $1 WHERE id = $2', [dek, ids[0]]);
  await put(randomBytes(61));
  expect((await resolve(ids[0]!)).body.code).toBe('credential_undecryptable');
  expect(await statusOf()).toBe('undecryptable');
  await put(row?.['wrapped_dek']);
  expect((await resolve(ids[0]!)).status).toBe(200);
  expect(await statusOf()).toBe('active');
});
