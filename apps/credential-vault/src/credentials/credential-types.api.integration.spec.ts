import { randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import { unboundPolicy, vaultWorld, type VaultWorld, writer } from '../testing/vault-world.js';

const ring = new KekRing('k1', new Map([['k1', randomBytes(32)]]));
let vault: VaultWorld;

beforeAll(async () => {
  vault = await vaultWorld(ring, { SERVICE_POLICY: unboundPolicy });
});
afterAll(() => vault.close());

const create = (body: object) => vault.call('POST', 'credentials', body);
const stored = async (): Promise<string[]> =>
  (await vault.call('GET', 'credentials?limit=200')).body.data.map((row: { name: string }) => row.name);
const resolve = async (credential_id: string) =>
  (await vault.internal('POST', 'credentials/resolve', { credential_id })).body.fields;
const errorsOf = ({ body }: { body: { errors?: { field: string }[] } }): string[] =>
  (body.errors ?? []).map(({ field }) => field);

describe('a credential of the type oauth2', () => {
  it('waits for its tokens, and says so', async () => {
    const fields = { client_id: 'id', client_secret: 'secret' };
    const { status, body } = await create({ name: 'o1', type: 'oauth2', grant: 'authorization_code', fields });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      type: 'oauth2',
      grant: 'authorization_code',
      status: 'pending',
      fields: ['client_id', 'client_secret'],
    });
  });

  it.each<[string, object, string[]]>([
    ['without a grant', { fields: { client_id: 'a' } }, ['grant']],
    ['with an unknown grant', { grant: 'password', fields: { client_id: 'a' } }, ['grant']],
    [
      'without what its grant needs',
      { grant: 'client_credentials', fields: {} },
      ['fields', 'fields.client_id', 'fields.client_secret'],
    ],
    [
      'with a field it has not',
      { grant: 'authorization_code', fields: { client_id: 'a', scope: 'b' } },
      ['fields.scope'],
    ],
    [
      'with a declaration',
      { grant: 'authorization_code', fields: { client_id: 'a' }, declared_fields: [{ name: 'a' }] },
      ['declared_fields'],
    ],
  ])('is refused %s, by field, and nothing is stored', async (what, body, wrong) => {
    const answer = await create({ name: what, type: 'oauth2', ...body });
    expect({ status: answer.status, wrong: errorsOf(answer) }).toEqual({ status: 422, wrong });
    expect(await stored()).not.toContain(what);
  });
});

describe('a credential of the type text', () => {
  const declared_fields = [
    { name: 'host', label: 'Server' },
    { name: 'port', max_bytes: 5 },
    { name: 'keys', list: true },
    { name: 'note', required: false },
  ];
  const fields = { host: 'mail.example', port: '25', keys: ['one'] };

  it('has the fields that it declares', async () => {
    const { status, body } = await create({ name: 'smtp', type: 'text', declared_fields, fields });
    expect({ status, declared: body.declared_fields }).toEqual({ status: 201, declared: declared_fields });
    expect(await resolve(body.id)).toEqual(fields);
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['a missing field', { port: '1', keys: ['a'] }, ['fields.host']],
    ['an undeclared field', { ...fields, user: 'x' }, ['fields.user']],
    ['a value that is too long', { ...fields, port: '123456' }, ['fields.port']],
    ['a value where a list belongs', { ...fields, keys: 'one' }, ['fields.keys']],
    ['a list where a value belongs', { ...fields, host: ['a'] }, ['fields.host']],
    ['an empty required value', { ...fields, host: '' }, ['fields.host']],
    ['several at once', { port: '123456', other: 'x' }, ['fields.host', 'fields.keys', 'fields.port', 'fields.other']],
    ['too long a list', { ...fields, keys: ['1', '2', '3', '4', '5', '6'] }, ['fields.keys']],
    ['a NUL in front', { ...fields, host: '\u0000["a"]' }, ['fields.host']],
    ['64 KiB and more', { ...fields, host: 'x'.repeat(65_537) }, ['fields.host']],
  ])('is refused with %s, by field, and nothing is stored', async (what, given, wrong) => {
    const answer = await create({ name: what, type: 'text', declared_fields, fields: given });
    expect({ status: answer.status, wrong: errorsOf(answer) }).toEqual({ status: 422, wrong });
    expect(await stored()).not.toContain(what);
  });

  it('names the declaration that is wrong', async () => {
    const answer = await create({ name: 'bad', type: 'text', declared_fields: [{ name: 'Bad Name' }], fields });
    expect({ status: answer.status, wrong: errorsOf(answer) }).toEqual({
      status: 422,
      wrong: ['declared_fields.0.name'],
    });
  });

  it('is checked against a later declaration, and is unchanged where it does not fit', async () => {
    const { body } = await create({ name: 'later', type: 'text', fields: { a: '1' } });
    const path = `credentials/${body.id}`;
    const refused = await vault.call('PATCH', path, { name: 'renamed', declared_fields: [{ name: 'b' }] });
    expect(errorsOf(refused)).toEqual(['fields.b', 'fields.a']);
    expect((await vault.call('GET', path)).body).toMatchObject({ name: 'later', declared_fields: null, generation: 1 });
    const both = { declared_fields: [{ name: 'b' }], fields: { a: null, b: '2' } };
    expect((await vault.call('PATCH', path, both)).status).toBe(200);
    expect(await resolve(body.id)).toEqual({ b: '2' });
  });
});

it('an unknown type is refused by its field', async () => {
  const answer = await create({ name: 'x', type: 'ssh_key', fields: { token: 'a' } });
  expect({ status: answer.status, wrong: errorsOf(answer) }).toEqual({ status: 422, wrong: ['type'] });
});

describe('the rotation of one field', () => {
  const rotate = (id: string, field: string, value: string) =>
    vault.call('POST', `credentials/${id}/fields/${field}/rotate`, { value });
  const finish = (id: string, field: string) => vault.call('POST', `credentials/${id}/fields/${field}/finish-rotation`);

  it('keeps the previous secret valid in a list until the rotation is finished', async () => {
    const fields = { signing_secret: ['the first'], other: 'same' };
    const { body } = await create({ name: 'rotating', type: 'text', fields });
    await rotate(body.id, 'signing_secret', 'the second');
    expect(await resolve(body.id)).toEqual({ signing_secret: ['the second', 'the first'], other: 'same' });
    await rotate(body.id, 'signing_secret', 'the third');
    expect(await resolve(body.id)).toMatchObject({ signing_secret: ['the third', 'the second'] });
    expect((await finish(body.id, 'signing_secret')).body.generation).toBe(4);
    expect(await resolve(body.id)).toMatchObject({ signing_secret: ['the third'] });
  });

  it('replaces a single value at once', async () => {
    const { body } = await create({ name: 'single', type: 'api_key', fields: { token: 'a' } });
    expect((await rotate(body.id, 'token', 'b')).status).toBe(200);
    expect(await resolve(body.id)).toEqual({ token: 'b' });
    expect((await finish(body.id, 'token')).body).toMatchObject({ status: 409, code: 'not_a_list' });
    expect((await rotate(body.id, 'nope', 'b')).body).toMatchObject({ status: 404, code: 'field_not_found' });
  });

  it('is for those who may write', async () => {
    const { body } = await create({ name: 'guarded', type: 'api_key', fields: { token: 'a' } });
    const reader = { ...writer, scopes: ['credentials:read' as const] };
    const path = `credentials/${body.id}/fields/token/rotate`;
    expect((await vault.call('POST', path, { value: 'b' }, reader)).status).toBe(403);
    expect((await vault.call('POST', path, { value: 'b' }, { ...writer, projectId: 'prj_b' })).status).toBe(404);
  });
});
