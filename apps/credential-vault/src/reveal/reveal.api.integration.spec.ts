import type { Principal } from '#libs/service-kit';
import { home, until } from '#libs/testing';
import { randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import { admin, asService, unboundPolicy, vaultWorld, type VaultWorld, writer } from '../testing/vault-world.js';

const canary = `canary-${randomBytes(12).toString('hex')}`;
const named = asService('engine', ['credentials:reveal']);
let vault: VaultWorld;
let id: string;

beforeAll(async () => {
  const SERVICE_POLICY = { ...unboundPolicy, engine: { may: ['reveal' as const], consumers: [] } };
  vault = await vaultWorld(new KekRing('k1', new Map([['k1', randomBytes(32)]])), { SERVICE_POLICY });
  const body = { name: 'revealed', type: 'text', fields: { password: canary, user: 'u' } };
  id = (await vault.call('POST', 'credentials', body)).body.id;
});
afterAll(() => vault.close());

const ask = { fields: ['password'], reason: 'support case 12' };
const reveal = (body: object = ask, as: Principal = named) =>
  vault.internal('POST', `credentials/${id}/reveal`, body, as);
const audit = async () =>
  (await vault.call('GET', `credentials/${id}/audit`, undefined, writer)).body.data as Record<string, unknown>[];

describe('revealing', () => {
  it('gives a named service the fields that it names, and records who, what, when and why', async () => {
    expect((await reveal()).body.fields).toEqual({ password: canary });
    const [entry] = await audit();
    expect(entry).toMatchObject({
      actor: 'service:engine',
      action: 'revealed',
      fields: ['password'],
      reason: 'support case 12',
      times: 1,
    });
    expect(JSON.stringify(await audit())).not.toContain(canary);
  });

  it.each<[string, Principal]>([
    ['an administrator', admin],
    ['a key with credentials:write', writer],
    ['a service without the scope', asService('engine')],
    ['a service that the policy does not name', asService('adapter-gateway', ['credentials:reveal'])],
  ])('is refused to %s', async (_who, as) => {
    const answer = await reveal(ask, as);
    expect({ status: answer.status, leaked: answer.text.includes(canary) }).toEqual({ status: 403, leaked: false });
  });

  it('needs a reason, and fields that exist', async () => {
    expect((await reveal({ fields: ['password'] })).body).toMatchObject({ status: 422, errors: [{ field: 'reason' }] });
    expect((await reveal({ ...ask, fields: ['nope'] })).body).toMatchObject({ status: 422, code: 'unknown_fields' });
    const elsewhere = asService('engine', ['credentials:reveal'], { ...home, projectId: 'prj_b' });
    expect((await reveal(ask, elsewhere)).status).toBe(404);
  });

  it('does not happen where it cannot be recorded', async () => {
    await vault.query('ALTER TABLE vault.credential_audit RENAME TO away');
    try {
      const answer = await reveal();
      expect({ status: answer.status, leaked: answer.text.includes(canary) }).toEqual({ status: 500, leaked: false });
    } finally {
      await vault.query('ALTER TABLE vault.away RENAME TO credential_audit');
    }
  });
});

describe('the audit', () => {
  it('counts what gateways read with every message, and is shown only to its project', async () => {
    const resolve = () => vault.internal('POST', 'credentials/resolve', { credential_id: id });
    await Promise.all([resolve(), resolve(), resolve()]);
    const times = await until('three uses were recorded', async () => {
      const uses = (await audit()).filter(({ action }) => action === 'resolved');
      const sum = uses.reduce((total, use) => total + Number(use['times']), 0);
      return sum === 3 ? uses : null;
    });
    expect(times[0]).toMatchObject({ actor: 'service:adapter-gateway', fields: ['password', 'user'] });
    const elsewhere = { ...writer, projectId: 'prj_b' };
    expect((await vault.call('GET', `credentials/${id}/audit`, undefined, elsewhere)).status).toBe(404);
  });

  it('outlives the credential', async () => {
    const body = { name: 'short-lived', type: 'api_key', fields: { token: 'a' } };
    const made = (await vault.call('POST', 'credentials', body)).body.id as string;
    await vault.call('PATCH', `credentials/${made}`, { fields: { token: 'b' } });
    await vault.call('DELETE', `credentials/${made}`);
    const { body: page } = await vault.call('GET', `credentials/${made}/audit?limit=2`);
    expect(page.data.map(({ action }: { action: string }) => action)).toEqual(['deleted', 'updated']);
    expect(page.next_cursor).not.toBeNull();
  });
});
