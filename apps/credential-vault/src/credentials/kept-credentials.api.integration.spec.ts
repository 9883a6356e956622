import { ChangeListener } from '#libs/database';
import { until } from '#libs/testing';
import { randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import { unboundPolicy, vaultWorld, type VaultWorld } from '../testing/vault-world.js';

const keys = new KekRing('k1', new Map([['k1', randomBytes(32)]]));
let vault: VaultWorld;
let id: string;

beforeAll(async () => {
  vault = await vaultWorld(keys, { SERVICE_POLICY: unboundPolicy, AUDIT_FLUSH_MS: 3_600_000 });
  await until('the vault listens for changes', async () => vault.app.get(ChangeListener).listening);
});
afterAll(() => vault.close());
beforeEach(async () => {
  const body = { name: randomBytes(6).toString('hex'), type: 'text', fields: { password: 'first', user: 'u' } };
  id = (await vault.call('POST', 'credentials', body)).body.id;
});

const resolve = () => vault.internal('POST', 'credentials/resolve', { credential_id: id });
const fields = async (): Promise<unknown> => (await resolve()).body.fields;
const uses = () =>
  vault.query(`SELECT times FROM vault.credential_audit WHERE credential_id = $1 AND action = 'resolved'`, [id]);

describe('a cached credential', () => {
  it('is replaced before the writer gets its answer', async () => {
    for (let n = 0; n < 30; n += 1) {
      await vault.call('PATCH', `credentials/${id}`, { fields: { password: `new ${n}` } });
      expect(await fields()).toEqual({ password: `new ${n}`, user: 'u' });
    }
  });

  it('is dropped when another replica changes it, and not before', async () => {
    expect(await fields()).toMatchObject({ user: 'u' });
    const take = `DELETE FROM vault.credential_field WHERE credential_id = '${id}' AND field = 'user'`;
    const silent = (how: string): string => `ALTER TABLE vault.credential_field ${how} TRIGGER USER`;
    await vault.query(`BEGIN; ${silent('DISABLE')}; ${take}; ${silent('ENABLE')}; COMMIT`);
    expect(await fields()).toMatchObject({ user: 'u' });
    await vault.query(`UPDATE vault.credential SET name = name || '.' WHERE id = $1`, [id]);
    // The change was not made by this process, which is notified of it a moment later.
    await until('it is read again', async () => !Object.hasOwn((await fields()) as object, 'user'));
    expect(await fields()).toEqual({ password: 'first' });
    await vault.query('DELETE FROM vault.credential_field WHERE credential_id = $1', [id]);
    await vault.query('DELETE FROM vault.credential WHERE id = $1', [id]);
    await until('it is gone', async () => (await resolve()).status === 404);
  });

  it('is not used while changes are not heard', async () => {
    await fields();
    const changes = vault.app.get(ChangeListener);
    const lost = until('it does not listen', async () => !changes.listening);
    await vault.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'credential-vault-changes'`,
    );
    await vault.query(`DELETE FROM vault.credential_field WHERE credential_id = $1 AND field = 'user'`, [id]);
    await lost;
    expect(await fields()).toEqual({ password: 'first' });
    await until('it listens again', async () => changes.listening);
  });
});

describe('a use of a credential', () => {
  it('is in the audit before it is answered; further ones are summed up until the vault stops', async () => {
    expect((await resolve()).status).toBe(200);
    expect(await uses()).toEqual([{ times: 1 }]);
    await Promise.all([resolve(), resolve()]);
    expect(await uses()).toEqual([{ times: 1 }]);
    await vault.restart({ GATEHOUSE_KEK_RING: keys });
    expect(await uses()).toEqual([{ times: 1 }, { times: 2 }]);
  });

  it('is refused where it cannot be recorded', async () => {
    await vault.query('ALTER TABLE vault.credential_audit RENAME TO away');
    const answer = await resolve();
    await vault.query('ALTER TABLE vault.away RENAME TO credential_audit');
    expect([answer.status, answer.text.includes('first')]).toEqual([500, false]);
    expect((await resolve()).status).toBe(200);
  });
});
