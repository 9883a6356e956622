import { until } from '#libs/testing';
import { randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import { admin, asService, unboundPolicy, vaultWorld, type VaultWorld } from '../testing/vault-world.js';

const ring = new KekRing('k1', new Map([['k1', randomBytes(32)]]));
let vault: VaultWorld;
let made = 0;

beforeAll(async () => {
  vault = await vaultWorld(ring, { SERVICE_POLICY: unboundPolicy });
});
afterAll(() => vault.close());

const path = 'credentials';
const [first, second, third] = ['the first secret', 'the second secret', 'the third secret'];

async function create(fields: object, type = 'text'): Promise<string> {
  const { body } = await vault.call('POST', path, { name: `rotated ${(made += 1)}`, type, fields });
  return body.id;
}
const rotate = (id: string, body: object, field = 'signing_secret') =>
  vault.call('POST', `${path}/${id}/fields/${field}/rotate`, body);
const values = async (id: string) => {
  const asked = { credential_id: id };
  return (await vault.internal('POST', 'credentials/resolve', asked)).body.fields;
};
const view = async (id: string) => (await vault.call('GET', `${path}/${id}`)).body;
/** Ends the overlap of a credential now. */
const end = (id: string) =>
  vault.query(`UPDATE vault.field_rotation SET ends_at = now() - interval '1 second' WHERE credential_id = $1`, [id]);
const ended = (id: string) => until('the overlap has ended', async () => (await view(id)).rotating.length === 0);

describe('a rotation with an overlap', () => {
  it('is one call: the value before is valid until its end, and is then dropped by itself', async () => {
    const id = await create({ signing_secret: first, note: 'same' });
    const answer = await rotate(id, { value: second, overlap_seconds: 3_600 });
    expect(answer).toMatchObject({ status: 200, body: { rotating: [{ field: 'signing_secret' }] } });
    const leftMs = Date.parse(answer.body.rotating[0]?.until ?? '') - Date.now();
    expect(leftMs).toBeGreaterThan(3_000_000);
    expect(leftMs).toBeLessThan(3_700_000);
    expect(await values(id)).toEqual({ signing_secret: [second, first], note: 'same' });
    await end(id);
    await ended(id);
    expect(await values(id)).toEqual({ signing_secret: second, note: 'same' });
  });

  it('survives changes of other fields, a restart and new data keys', async () => {
    const id = await create({ signing_secret: first });
    await rotate(id, { value: second, overlap_seconds: 3_600 });
    await vault.call('PATCH', `${path}/${id}`, { fields: { note: 'new' } });
    await vault.restart({ GATEHOUSE_KEK_RING: ring });
    expect(await values(id)).toEqual({ signing_secret: [second, first], note: 'new' });
    await end(id);
    await ended(id);
    expect(await values(id)).toEqual({ signing_secret: second, note: 'new' });
  });

  it('has a default in a list and in a field that checks signatures, and none elsewhere', async () => {
    const list = await create({ signing_secret: [first] });
    expect((await rotate(list, { value: second })).body.rotating).toHaveLength(1);
    expect(await values(list)).toEqual({ signing_secret: [second, first] });
    await end(list);
    await ended(list);
    expect(await values(list)).toEqual({ signing_secret: [second] });
    const text = await create({ signing_secret: first, password: 'old' });
    expect((await rotate(text, { value: second })).body.rotating).toHaveLength(1);
    expect((await rotate(text, { value: 'new' }, 'password')).body.rotating).toHaveLength(1);
    expect(await values(text)).toEqual({ signing_secret: [second, first], password: 'new' });
    const none = await create({ signing_secret: [first] });
    expect((await rotate(none, { value: second, overlap_seconds: 0 })).body.rotating).toEqual([]);
    expect(await values(none)).toEqual({ signing_secret: [second] });
  });

  it('gives the new value alone to whoever signs in with it, and both to a check of signatures', async () => {
    const id = await create({ token: first }, 'api_key');
    const consumer = { kind: 'app', id: 'app_1' };
    const key_check = { form: 'text', fields: ['webhook_token'], or_only_field: false };
    const bound = { credential_id: id, consumer, maps_to: { token: 'webhook_token' }, signing: ['webhook_token'] };
    await rotate(id, { value: second, overlap_seconds: 3_600 }, 'token');
    expect(await values(id)).toEqual({ token: second });
    await vault.internal('PUT', 'bindings', { ...bound, key_check });
    const asked = { credential_id: id, consumer };
    const signing = await vault.internal('POST', 'credentials/resolve', asked, asService('webhook-ingress'));
    expect(signing.body.credentials).toEqual({ webhook_token: [second, first] });
  });

  it('again keeps the last value only, with an end of its own', async () => {
    const id = await create({ signing_secret: first });
    await rotate(id, { value: second, overlap_seconds: 3_600 });
    await end(id);
    await rotate(id, { value: third, overlap_seconds: 3_600 });
    expect(await values(id)).toEqual({ signing_secret: [third, second] });
    expect((await view(id)).rotating).toHaveLength(1);
  });

  it('survives others at the same time: each reads what the one before it has written', async () => {
    const id = await create({ signing_secret: first });
    const asked = Array.from({ length: 12 }, (_one, n) => rotate(id, { value: `secret number ${n} of all` }));
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect((await view(id)).status).toBe('active');
    expect((await values(id)).signing_secret).toHaveLength(2);
  });

  it('ends when it is finished, and when another value is stored', async () => {
    for (const over of [
      (id: string) => vault.call('POST', `${path}/${id}/fields/signing_secret/finish-rotation`),
      (id: string) => vault.call('PATCH', `${path}/${id}`, { fields: { signing_secret: second } }),
      (id: string) => vault.call('POST', `${path}/${id}/rotate`, { fields: { signing_secret: second } }),
    ]) {
      const id = await create({ signing_secret: first });
      await rotate(id, { value: second, overlap_seconds: 3_600 });
      expect((await over(id)).body.rotating).toEqual([]);
      expect(await values(id)).toEqual({ signing_secret: second });
    }
  });

  it('is refused where the provider decides: for oauth2', async () => {
    const fields = { client_id: 'id', client_secret: 'one' };
    const body = { name: 'client', type: 'oauth2', grant: 'client_credentials', fields };
    const { id } = (await vault.call('POST', path, body)).body;
    const answer = await rotate(id, { value: 'two', overlap_seconds: 60 }, 'client_secret');
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: 'overlap_seconds' }] } });
    expect((await rotate(id, { value: 'two' }, 'client_secret')).status).toBe(200);
  });
});

describe('a secret that an App checks signatures with', () => {
  const standard = { form: 'standard-webhooks', fields: ['signing_secret', 'hook'], or_only_field: true };
  const check = async (id: string, as = asService('adapter-gateway')) =>
    vault.internal('POST', 'credentials/check-keys', { credentials: [{ credential_id: id, ...standard }] }, as);

  it('is checked for its scheme before it is bound, and no value leaves', async () => {
    const weak = await create({ signing_secret: 'not base64, but long' });
    const answer = await check(weak);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        data: [
          {
            credential_id: weak,
            problems: [{ field: 'signing_secret', message: expect.stringContaining('not base64') }],
          },
        ],
      },
    });
    expect(answer.text).not.toContain('but long');
    const only = await create({ whatever: 'short' });
    expect((await check(only)).body).toMatchObject({ data: [{ problems: [{ field: 'whatever' }] }] });
    const strong = await create({ signing_secret: randomBytes(24).toString('base64'), note: 'x' });
    expect((await check(strong)).body).toEqual({ data: [{ credential_id: strong, problems: [] }] });
    expect((await check(strong, asService('webhook-ingress'))).status).toBe(403);
    expect((await check(strong, admin)).status).toBe(403);
  });

  it('is refused for its scheme when it is saved later', async () => {
    const id = await create({ hook: randomBytes(24).toString('base64') });
    const bound = { credential_id: id, consumer: { kind: 'app', id: 'app_2' }, signing: null, key_check: standard };
    expect((await vault.internal('PUT', 'bindings', bound)).status).toBe(200);
    for (const answer of [
      await vault.call('PATCH', `${path}/${id}`, { fields: { hook: '***' } }),
      await vault.call('POST', `${path}/${id}/rotate`, { fields: { hook: 'a plain secret' } }),
      await rotate(id, { value: 'YWJj' }, 'hook'),
    ]) {
      const errors = [{ field: 'fields.hook', message: expect.stringContaining('app_2') }];
      expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_fields', errors } });
    }
    expect((await rotate(id, { value: randomBytes(24).toString('base64') }, 'hook')).status).toBe(200);
  });
});
