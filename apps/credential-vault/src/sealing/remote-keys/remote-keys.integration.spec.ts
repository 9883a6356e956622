import { until } from '#libs/testing';
import { randomBytes } from 'node:crypto';
import {
  awsService,
  azureService,
  googleService,
  type KeyService,
  transitService,
} from '../../testing/key-services.js';
import { asService, unboundPolicy, vaultWorld, type VaultWorld } from '../../testing/vault-world.js';
import { DoesNotOpen } from '../aead.js';
import { KekRing, readKekRing } from '../kek-ring.js';
import { RemoteKey } from './remote-key.js';

const local = randomBytes(32);
const policy = { SERVICE_POLICY: unboundPolicy, DEK_CACHE_MS: 0 };
const operator = asService('credential-vault');
let vault: VaultWorld | undefined;
let service: KeyService;

afterEach(async () => {
  await vault?.close();
  vault = undefined;
  await service.close();
});

const remote = (timeoutMs = 5_000): RemoteKey => new RemoteKey('kms', () => service.connect(), timeoutMs);
const resolve = (credential_id: string) => vault!.internal('POST', 'credentials/resolve', { credential_id });

describe.each([
  ['AWS KMS', awsService],
  ['Google Cloud KMS', googleService],
  ['Azure Key Vault', azureService],
  ['OpenBao', transitService],
])('a key in %s', (_name, start) => {
  beforeEach(async () => {
    service = await start();
  });

  it('wraps data keys, each bound to its place', async () => {
    const key = remote();
    const dek = randomBytes(32);
    const place = Buffer.from('org_1 cred_1');
    const wrapped = await key.wrap(dek, place);
    expect(wrapped.includes(dek)).toBe(false);
    expect(await key.unwrap(wrapped, place)).toEqual(dek);
    await expect(key.unwrap(wrapped, Buffer.from('org_1 cred_2'))).rejects.toThrow(DoesNotOpen);
    const changed = Buffer.from(wrapped);
    changed[changed.length - 3]! ^= 2;
    await expect(key.unwrap(changed, place)).rejects.toThrow(DoesNotOpen);
  });

  it('takes over from a key of this process, and gives back, without losing a value', async () => {
    vault = await vaultWorld(new KekRing('local', new Map([['local', local]])), policy);
    const body = { name: 'c', type: 'text', fields: { a: 'a value' } };
    const { id } = (await vault.call('POST', 'credentials', body)).body;
    const both = (primary: string): KekRing =>
      new KekRing(
        primary,
        new Map<string, Buffer | RemoteKey>([
          ['local', local],
          ['kms', remote()],
        ]),
      );
    for (const to of ['kms', 'local']) {
      await vault.restart({ GATEHOUSE_KEK_RING: both(to) });
      const rewrapped = await vault.internal('POST', 'keys/rewrap', { to }, operator);
      expect(rewrapped.body).toEqual({ rewrapped: 1, failed: [], finished: true });
      expect((await resolve(id)).body.fields).toEqual({ a: 'a value' });
    }
  });

  it('that is away makes callers wait, and no value counts as lost', async () => {
    vault = await vaultWorld(new KekRing('kms', new Map([['kms', remote()]])), policy);
    const body = { name: 'c', type: 'text', fields: { a: 'a value' } };
    const { id } = (await vault.call('POST', 'credentials', body)).body;
    service.away = true;
    expect(await resolve(id)).toMatchObject({ status: 503, body: { code: 'key_unavailable' } });
    expect(await vault.call('POST', 'credentials', body)).toMatchObject({ status: 503 });
    expect((await vault.call('GET', `credentials/${id}`)).body.status).toBe('active');
    service.away = false;
    await until('it can be read again', async () => (await resolve(id)).body.fields?.a === 'a value');
  });
});

describe('an expired token of OpenBao', () => {
  it('is replaced by a new login', async () => {
    const openbao = await transitService();
    service = openbao;
    const key = remote();
    const place = Buffer.from('place');
    const wrapped = await key.wrap(local, place);
    openbao.endTokens();
    expect(await key.unwrap(wrapped, place)).toEqual(local);
    expect(openbao.calls).toEqual(['login', 'encrypt', 'login', 'decrypt']);
  });
});

describe('the setting of an external key', () => {
  beforeEach(async () => {
    service = await transitService();
  });
  const read = (key: unknown) => readKekRing({ primary: 'k', keys: { k: key } }, { production: true });
  const auth = { token_file: '/token' };

  it.each([
    { aws_kms: { key_id: 'alias/gatehouse', region: 'eu-central-1' } },
    { google_kms: { name: 'projects/p/locations/l/keyRings/r/cryptoKeys/k' } },
    { azure_key_vault: { key_id: 'https://v.vault.azure.net/keys/k' } },
    { transit: { address: 'https://openbao:8200', key: 'gatehouse', auth } },
  ])('may be %j', (key) => {
    expect(read(key).kids).toEqual(['k']);
  });

  it.each<[unknown, RegExp]>([
    [{}, /neither the base64 form of 32 bytes nor one of {aws_kms, google_kms, azure_key_vault, transit: {…}}/],
    [{ aws: {} }, /neither/],
    [{ aws_kms: {}, transit: {} }, /neither/],
    [{ aws_kms: null }, /must have an object as aws_kms/],
    [{ aws_kms: { key: 'k' } }, /in aws_kms: key is not known/],
    [{ google_kms: { name: 7 } }, /in google_kms: name must be a string/],
    [{ azure_key_vault: { key_id: 'http://v.vault.azure.net/keys/k' } }, /must be an https URL/],
    [{ transit: { address: 'https://b', key: 'k', auth: { token: 's.1' } } }, /auth must be {"token_file"/],
  ])('%j is refused', (key, message) => {
    expect(() => read(key)).toThrow(message);
  });
});
