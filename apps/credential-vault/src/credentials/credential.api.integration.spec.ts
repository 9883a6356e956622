import { type Principal, ServiceTokens } from '#libs/service-kit';
import { home, testServiceKey } from '#libs/testing';
import { randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import { asService, unboundPolicy, type VaultWorld, vaultWorld, writer as person } from '../testing/vault-world.js';

const canary = `canary-${randomBytes(12).toString('hex')}`;
const ring = (primary: string, ...kids: [string, Buffer][]): KekRing => new KekRing(primary, new Map(kids));
const k1 = randomBytes(32);
let vault: VaultWorld;

async function resolve(credential_id: string, fields?: string[], scope = home) {
  const service = asService('adapter-gateway', [], scope);
  return vault.internal('POST', 'credentials/resolve', { credential_id, ...(fields ? { fields } : {}) }, service);
}

async function created(
  name: string,
  fields: Record<string, string> = { user: 'u', password: canary },
): Promise<string> {
  const { status, body } = await vault.call('POST', 'credentials', { name, type: 'text', fields });
  expect(status).toBe(201);
  return body.id as string;
}

beforeAll(async () => {
  vault = await vaultWorld(ring('k1', ['k1', k1]), { SERVICE_POLICY: unboundPolicy });
});

afterAll(() => vault.close());

describe('the management API', () => {
  it('shows names of fields and never a value, in any answer', async () => {
    const made = await vault.call('POST', 'credentials', {
      name: 'smtp',
      type: 'text',
      fields: { host: canary, password: canary },
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      name: 'smtp',
      type: 'text',
      fields: ['host', 'password'],
      generation: 1,
      status: 'active',
    });
    const path = `credentials/${made.body.id}`;
    const answers = [
      made,
      await vault.call('GET', path),
      await vault.call('GET', 'credentials'),
      await vault.call('PATCH', path, { fields: { port: canary } }),
      await vault.call('POST', `${path}/rotate`, { fields: { token: canary } }),
      await vault.call('PATCH', path, { fields: { 'Bad Name': canary, other: { deep: canary } } }),
      await vault.call('POST', 'credentials', {
        name: canary.slice(0, 3),
        type: 'api_key',
        fields: { secret: canary },
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200, 422, 422]);
    for (const { text } of answers) expect(text).not.toContain(canary);
  });

  it('changes what is still as it was read, or nothing', async () => {
    const url = `/api/v1/credentials/${await created('read')}`;
    const token = await new ServiceTokens(testServiceKey, 'portal').mint('credential-vault', person);
    const headers = { authorization: `Bearer ${token}` };
    const read = async () => String((await vault.app.inject({ url, headers })).headers['etag']);
    const change = (tag: string) =>
      vault.app.inject({
        method: 'PATCH',
        url,
        headers: { ...headers, 'if-match': tag },
        payload: { fields: { password: 'new' } },
      });
    const tag = await read();
    const changed = await change(tag);
    expect([changed.statusCode, changed.headers['etag']]).toEqual([200, await read()]);
    expect((await change(tag)).statusCode).toBe(412);
  });

  it('keeps names unique in a project, and free in another', async () => {
    await created('same');
    const fields = { a: 'b' };
    const second = await vault.call('POST', 'credentials', { name: 'same', type: 'text', fields });
    expect({ status: second.status, code: second.body.code }).toEqual({ status: 409, code: 'name_taken' });
    const elsewhere = await vault.call(
      'POST',
      'credentials',
      { name: 'same', type: 'text', fields },
      { ...person, projectId: 'prj_b' },
    );
    expect(elsewhere.status).toBe(201);
  });

  it('shows nothing of another project or organization', async () => {
    const id = await created('mine');
    for (const as of [
      { ...person, projectId: 'prj_b' },
      { ...person, organizationId: 'org_b' },
    ]) {
      expect((await vault.call('GET', `credentials/${id}`, undefined, as)).status).toBe(404);
      expect((await vault.call('DELETE', `credentials/${id}`, undefined, as)).status).toBe(404);
      expect((await vault.call('PATCH', `credentials/${id}`, { name: 'x' }, as)).status).toBe(404);
      expect((await resolve(id, undefined, as)).status).toBe(404);
    }
  });

  it('refuses a caller without the scope', async () => {
    const body = { name: 'r', type: 'text', fields: { a: 'b' } };
    const reader: Principal = { ...person, scopes: ['credentials:read'] };
    expect((await vault.call('POST', 'credentials', body, reader)).status).toBe(403);
    expect((await vault.call('GET', 'credentials', undefined, reader)).status).toBe(200);
  });

  it('pages the list, newest first', async () => {
    const as: Principal = { ...person, projectId: 'prj_pages' };
    for (const name of ['one', 'two', 'three']) {
      await vault.call('POST', 'credentials', { name, type: 'text', fields: { a: '1', b: '2' } }, as);
    }
    const first = await vault.call('GET', 'credentials?limit=2', undefined, as);
    const second = await vault.call('GET', `credentials?limit=2&cursor=${first.body.next_cursor}`, undefined, as);
    const names = [...first.body.data, ...second.body.data].map((row: { name: string }) => row.name);
    expect(names).toEqual(['three', 'two', 'one']);
    expect(second.body.next_cursor).toBeNull();
  });
});

describe('resolving', () => {
  it('gives services the values, all of them or only the requested ones', async () => {
    const id = await created('resolved');
    expect((await resolve(id)).body).toEqual({
      credential_id: id,
      generation: 1,
      type: 'text',
      fields: { user: 'u', password: canary },
    });
    expect((await resolve(id, ['user'])).body.fields).toEqual({ user: 'u' });
    expect((await resolve(id, ['user', 'nope'])).body).toMatchObject({ status: 422, code: 'unknown_fields' });
  });

  it('is closed to every API key, admin included', async () => {
    const id = await created('closed');
    const admin: Principal = { ...person, scopes: ['admin'] };
    const answer = await vault.internal('POST', 'credentials/resolve', { credential_id: id }, admin);
    expect({ status: answer.status, leaked: answer.text.includes(canary) }).toEqual({ status: 403, leaked: false });
  });

  it('shows merges, removals and replacements under a new generation', async () => {
    const id = await created('changing');
    const path = `credentials/${id}`;
    await vault.call('PATCH', path, { fields: { password: 'two', port: '25', user: null } });
    expect((await resolve(id)).body).toMatchObject({ generation: 2, fields: { password: 'two', port: '25' } });
    expect((await resolve(id)).body.fields).not.toHaveProperty('user');
    await vault.call('POST', `${path}/rotate`, { fields: { token: 'three' } });
    expect((await resolve(id)).body).toMatchObject({ generation: 3, fields: { token: 'three' } });
    await vault.call('PATCH', path, { name: 'renamed' });
    expect((await resolve(id)).body.generation).toBe(3);
    expect((await vault.call('PATCH', path, { name: null })).status).toBe(422);
    expect((await vault.call('PATCH', path, { adapter_slug: null })).status).toBe(200);
  });

  it('answers a batch in its order, with what is missing in its place', async () => {
    const [a, b] = [await created('batch a', { x: '1' }), await created('batch b', { y: '2' })];
    const service: Principal = { ...home, subject: 'service:adapter-gateway', scopes: ['service'] };
    const credentials = [{ credential_id: b }, { credential_id: 'cred_none' }, { credential_id: a }];
    const { body } = await vault.internal('POST', 'credentials/resolve-batch', { credentials }, service);
    expect(
      body.data.map((one: { fields?: object; error?: { code: string } }) => one.fields ?? one.error?.code),
    ).toEqual([{ y: '2' }, 'credential_not_found', { x: '1' }]);
  });
});

describe('stored data', () => {
  it('holds no value, becomes undecryptable when moved, and recovers by a replacement', async () => {
    const [from, to] = [await created('from'), await created('to')];
    const rows = await vault.query("SELECT encode(sealed, 'escape') AS sealed FROM vault.credential_field");
    expect(JSON.stringify(rows)).not.toContain(canary);
    await vault.query(
      `UPDATE vault.credential_field t SET sealed = f.sealed FROM vault.credential_field f
        WHERE f.credential_id = $1 AND t.credential_id = $2 AND f.field = 'password' AND t.field = 'password'`,
      [from, to],
    );
    expect((await resolve(to)).body).toMatchObject({ status: 409, code: 'credential_undecryptable' });
    expect((await vault.call('GET', `credentials/${to}`)).body.status).toBe('undecryptable');
    await vault.query(`UPDATE vault.credential SET status = 'active', reason = NULL WHERE id = $1`, [to]);
    const merged = await vault.call('PATCH', `credentials/${to}`, { fields: { login: 'new' } });
    expect(merged.body).toMatchObject({ status: 409, code: 'credential_undecryptable' });
    expect((await vault.call('GET', `credentials/${to}`)).body.status).toBe('undecryptable');
    await vault.call('POST', `credentials/${to}/rotate`, { fields: { password: 'new' } });
    expect((await vault.call('GET', `credentials/${to}`)).body.status).toBe('active');
    expect((await resolve(to)).body.fields).toEqual({ password: 'new' });
  });

  it('opens after a second key became primary, which then seals what is written', async () => {
    const id = await created('before');
    const k2 = randomBytes(32);
    await vault.restart({ GATEHOUSE_KEK_RING: ring('k2', ['k1', k1], ['k2', k2]) });
    expect((await resolve(id)).body.fields.password).toBe(canary);
    const later = await created('after');
    await expect(vault.restart({ GATEHOUSE_KEK_RING: ring('k1', ['k1', k1]) })).rejects.toThrow(/KEK k2/);
    await vault.restart({ GATEHOUSE_KEK_RING: ring('k2', ['k1', k1], ['k2', k2]) });
    expect((await resolve(later)).status).toBe(200);
  });

  it('refuses to boot with another key under a known name, or without a key in use', async () => {
    await expect(
      vault.restart({ GATEHOUSE_KEK_RING: ring('k1', ['k1', randomBytes(32)], ['k2', randomBytes(32)]) }),
    ).rejects.toThrow(/KEK k1 is not the key/);
    await expect(vault.restart({ GATEHOUSE_KEK_RING: ring('k3', ['k3', randomBytes(32)]) })).rejects.toThrow(
      /sealed with the KEK/,
    );
  });
});
