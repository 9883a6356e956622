import { ServiceClient, ServiceTokens } from '#libs/service-kit';
import { testServiceKey } from '#libs/testing';
import { randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import { vaultWorld, type VaultWorld } from '../testing/vault-world.js';
import { resealAll, rotate } from './key-commands.js';

const [k1, k2] = [randomBytes(32), randomBytes(32)];
const both = new Map([
  ['k1', k1],
  ['k2', k2],
]);
let vault: VaultWorld;
let client: ServiceClient;
let printed: string[];

beforeEach(async () => {
  printed = [];
  vault = await vaultWorld(new KekRing('k1', both));
  for (const name of ['a', 'b', 'c']) {
    await vault.call('POST', 'credentials', { name, type: 'api_key', fields: { token: name } });
  }
});
afterEach(async () => {
  await client.close();
  await vault.close();
});

const say = (line: string): void => void printed.push(line);
function connect(): void {
  client = new ServiceClient('credential-vault', vault.url, new ServiceTokens(testServiceKey, 'credential-vault'));
}

it('vault rotate: rewraps, and says which key may be removed', async () => {
  await vault.restart({ GATEHOUSE_KEK_RING: new KekRing('k2', both) });
  connect();
  await rotate(client, say, 'k2');
  expect(printed.slice(0, 2)).toEqual(['k1  opens  3 data keys', 'k2  primary  0 data keys']);
  expect(printed.at(-1)).toBe('k1 no longer wraps any data key: it may be removed from GATEHOUSE_KEK_RING');
});

it('vault rotate --to: refuses to run under a primary key other than the named one', async () => {
  connect();
  await expect(rotate(client, say, 'k2')).rejects.toMatchObject({ code: 'not_primary' });
});

it('vault rotate: ends with an error that names what does not open', async () => {
  await vault.query("UPDATE vault.credential SET wrapped_dek = $1 WHERE name = 'b'", [randomBytes(61)]);
  await vault.restart({ GATEHOUSE_KEK_RING: new KekRing('k2', both) });
  connect();
  await expect(rotate(client, say, null)).rejects.toMatchObject({ code: 'unopened' });
  expect(printed.at(-1)).toBe('k2  primary  2 data keys');
});

it('vault reseal: gives every credential a new data key', async () => {
  connect();
  await resealAll(client, say, new Date(Date.now() + 1_000));
  expect(printed).toEqual(['3 credentials have new data keys']);
});
