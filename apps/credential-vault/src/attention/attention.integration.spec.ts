import { randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import { asService, type VaultWorld, vaultWorld } from '../testing/vault-world.js';

let world: VaultWorld;

beforeAll(async () => {
  world = await vaultWorld(new KekRing('k1', new Map([['k1', randomBytes(32)]])));
});
afterAll(() => world.close());

const items = async () => (await world.internal('GET', 'attention', undefined, asService('portal'))).body.data;

describe('what needs attention names a credential that', () => {
  it.each([
    ['invalid', 'error', 'is refused by its provider: the provider says no.'],
    ['undecryptable', 'error', 'cannot be opened with the keys of this installation: the provider says no.'],
    ['needs_reconnect', 'error', 'must be connected again: the provider says no.'],
    ['revoked', 'error', 'was revoked: the provider says no.'],
    ['degraded', 'warning', 'could not be refreshed: the provider says no.'],
    ['pending', 'warning', 'was never connected: the provider says no.'],
  ])('is %s', async (status, severity, words) => {
    const name = `Of ${status}`;
    const given = { name, type: 'text', fields: { token: 'a-long-enough-token' } };
    const { status: stored, body: credential } = await world.call('POST', 'credentials', given);
    expect(stored).toBe(201);
    expect((await items()).filter(({ resource }) => resource.id === credential.id)).toEqual([]);
    const change = 'UPDATE vault.credential SET status = $2, reason = $3 WHERE id = $1';
    await world.query(change, [credential.id, status, 'the provider says no']);
    expect((await items()).filter(({ resource }) => resource.id === credential.id)).toEqual([
      expect.objectContaining({ code: `credential_${status}`, severity, text: `The credential ${name} ${words}` }),
    ]);
    const other = { organizationId: 'org_b', projectId: 'prj_b' };
    const elsewhere = await world.internal('GET', 'attention', undefined, asService('portal', [], other));
    expect(elsewhere.body.data).toEqual([]);
  });
});
