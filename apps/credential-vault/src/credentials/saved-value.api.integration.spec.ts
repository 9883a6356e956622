import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import { unboundPolicy, vaultWorld, type VaultWorld } from '../testing/vault-world.js';

let vault: VaultWorld;
let made = 0;

beforeAll(async () => {
  vault = await vaultWorld(new KekRing('k1', new Map([['k1', randomBytes(32)]])), { SERVICE_POLICY: unboundPolicy });
});
afterAll(() => vault.close());

const path = 'credentials';
const create = (type: string, fields: Record<string, unknown>, more: object = {}) =>
  vault.call('POST', path, { name: `saved ${(made += 1)}`, type, fields, ...more });
const pem = (type: 'public' | 'private', bits = 2_048): string => {
  const pair = generateKeyPairSync('rsa', {
    modulusLength: bits,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return type === 'public' ? pair.publicKey : pair.privateKey;
};
const der = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    .publicKey.export({ type: 'spki', format: 'der' })
    .toString('base64');
const hex = randomBytes(32).toString('hex');

describe('a value that cannot protect', () => {
  it.each([
    ['text', 'signing_secret', '', 'must not be empty'],
    ['text', 'signing_secret', ' \n ', 'must not be empty'],
    ['text', 'signing_secret', '***', 'only hides a value'],
    ['text', 'signing_secret', '••••••••••', 'only hides a value'],
    ['text', 'signing_secret', '[redacted]', 'only hides a value'],
    ['text', 'signing_secret', '••••••••abcd', 'only hides a value'],
    ['text', 'signing_secret', 'whsec_********1234', 'only hides a value'],
    ['text', 'signing_secret', 'abcd........wxyz', 'only hides a value'],
    ['text', 'signing_secret', 'sk_test_…abcd', 'only hides a value'],
    ['text', 'signing_secret', 'aaaaaaaaaaaa', 'only hides a value'],
    ['text', 'signing_secret', 'redacted', 'only hides a value'],
    ['text', 'signing_secret', 'undefined', 'does not have'],
    ['text', 'signing_secret', '[object Object]', 'does not have'],
    ['text', 'signing_secret', '${SIGNING_SECRET}', 'where a value belongs'],
    ['text', 'signing_secret', '{{ signing_secret }}', 'where a value belongs'],
    ['text', 'signing_secret', '<your signing secret>', 'where a value belongs'],
    ['text', 'signing_secret', '$SIGNING_SECRET', 'where a value belongs'],
    ['text', 'client_secret', 'changeme', 'where a value belongs'],
    ['text', 'signing_secret', 'your_signing_secret_here', 'where a value belongs'],
    ['text', 'client_secret', 'Your Client Secret', 'where a value belongs'],
    ['text', 'signing_secret', 'signing_secret', 'where a value belongs'],
    ['text', 'signing_secret', 'xxxxxxxxxxxxxxxx', 'only hides a value'],
    ['api_key', 'token', 'XXXXXXXX', 'only hides a value'],
    ['text', 'webhook_secret', '0000000000000000', 'only hides a value'],
    ['text', 'signing_secret', `"whsec_${Buffer.from(hex).toString('base64')}"`, 'stands in quotes'],
    ['api_key', 'token', "'sk_live_1234'", 'stands in quotes'],
    ['text', 'signing_secret', `SIGNING_SECRET=${hex}`, 'a line of a settings file'],
    ['text', 'api_key', 'export ACME_API_KEY=sk_live_1234', 'a line of a settings file'],
    ['text', 'signing_secret', `export SECRET=${hex}`, 'a line of a settings file'],
    ['text', 'signing_secret', `${hex}\n${hex}`, 'must be one line'],
    ['text', 'signing_secret', `${hex}\t${hex}`, 'must be one line'],
    ['text', 'signing_secret', '-----BEGIN PUBLIC KEY-----', 'is cut off'],
    ['text', 'webhook_secret', `{"secret":"${hex}"}`, 'is JSON'],
    ['text', 'webhook_secret', 'op://vault/acme/webhook_secret', 'another store'],
    ['api_key', 'token', 'arn:aws:secretsmanager:eu-west-1:1234:secret:acme', 'another store'],
    ['text', 'signing_secret', `whsec_${'A'.repeat(32)}`, 'decodes to no bytes'],
    ['api_key', 'token', 'null', 'does not have'],
    ['api_key', 'token', 'sk_live_****4242', 'only hides a value'],
    ['api_key', 'token', 'process.env.TOKEN', 'where a value belongs'],
    ['text', 'signing_secret', 'short', 'has 5 bytes'],
    ['text', 'signing_secret', 'password', 'is among the first'],
    ['text', 'webhook_secret', '12345678', 'is among the first'],
    ['text', 'signing_secret_next', 'my-secret-key', 'is among the first'],
    ['text', 'signing_secret', `whsec_${Buffer.from('passwordpassword').toString('base64')}`, 'is among the first'],
    ['text', 'signing_secret_next', 'short', 'has 5 bytes'],
    ['text', 'webhook_secret', '!!!!!!!!!!', 'neither a letter nor a digit'],
    ['text', 'signing_secret', 'whsec_', 'decodes to no bytes'],
    ['text', 'signing_secret', 'whsec_%%%%%%%%%%%%%%%%%%%%%%', 'is not base64'],
    ['text', 'signing_secret', 'whsec_YWJj', 'decodes to 3 bytes'],
    ['text', 'signing_secret', `sha256=${hex}`, 'is a signature'],
    ['text', 'signing_secret', `v0=${hex}`, 'is a signature'],
    ['text', 'signing_secret', `v1,${Buffer.from(hex, 'hex').toString('base64')}`, 'is a signature'],
    ['text', 'signing_secret', `t=1614265330,v1=${hex}`, 'is a signature'],
    ['text', 'signing_secret', `X-Signature-256: sha256=${hex}`, 'is a whole header'],
    ['text', 'signing_secret', `a secret\u200bof many bytes`, 'U+200B'],
    ['text', 'note', `a note\u2060 of many bytes`, 'U+2060'],
    ['text', 'password', 'Basic dXNlcjpwYXNz', 'scheme of a header'],
    ['text', 'api_key', 'Bearer abcdef', 'scheme of a header'],
    ['text', 'event_public_key', 'no key', 'is no public key'],
    ['text', 'event_public_key', pem('public').replace(/\n/g, '').slice(0, 200), 'is no public key'],
    ['text', 'event_public_key', pem('private'), 'is a private key'],
    ['text', 'event_public_key', pem('public', 1_024), 'has 1024 bits'],
    ['api_key', 'token', '', 'must not be empty'],
    ['api_key', 'token', '\n', 'must not be empty'],
    ['api_key', 'token', 'Bearer sk_live_1234', 'scheme of a header'],
    ['api_key', 'token', 'Authorization: Bearer sk_live_1234', 'is a whole header'],
    ['api_key', 'token', 'sk_live\n1234', 'must be one line'],
    ['api_key', 'token', '********', 'only hides a value'],
    ['api_key', 'token', 'sk_\ufefflive', 'U+FEFF'],
  ])('is refused when it is saved: %s %s %j', async (type, field, value, words) => {
    const answer = await create(type, { [field]: value });
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'invalid_fields', errors: [{ field: `fields.${field}`, message: expect.stringContaining(words) }] },
    });
    if (value.length > 8 && value !== field) expect(JSON.stringify(answer.body)).not.toContain(value);
  });

  it('is refused as a client secret, in a list, and by every call that stores values', async () => {
    const client = { client_id: 'id', client_secret: 'Bearer abc' };
    expect((await create('oauth2', client, { grant: 'client_credentials' })).status).toBe(422);
    expect((await create('text', { signing_secret: ['a strong secret', '***'] })).status).toBe(422);
    const { body } = await create('text', { signing_secret: ['a strong secret'] });
    const at = `${path}/${body.id}`;
    for (const answer of [
      await vault.call('PATCH', at, { fields: { signing_secret: 'abc' } }),
      await vault.call('PATCH', at, { fields: { signing_secret_next: 'whsec_' } }),
      await vault.call('POST', `${at}/rotate`, { fields: { signing_secret: 'abc' } }),
      await vault.call('POST', `${at}/fields/signing_secret/rotate`, { value: 'abc' }),
    ]) {
      expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_fields' } });
    }
    expect((await vault.call('GET', at)).body).toMatchObject({ generation: 1, fields: ['signing_secret'] });
  });
});

describe('a value with white space around it', () => {
  it('is stored without it, and the answer says so', async () => {
    const answer = await create('text', { signing_secret: ' a long secret\r\n', host: 'mail' });
    const note = { field: 'fields.signing_secret', message: expect.stringContaining('without the white space') };
    expect(answer).toMatchObject({ status: 201, body: { notes: [note] } });
    const { id } = answer.body;
    const asked = { credential_id: id };
    const stored = () => vault.internal('POST', 'credentials/resolve', asked);
    expect((await stored()).body.fields).toEqual({ signing_secret: 'a long secret', host: 'mail' });
    expect((await vault.call('GET', `${path}/${id}`)).body.notes).toBeUndefined();
    const patched = await vault.call('PATCH', `${path}/${id}`, { fields: { host: '\tsmtp ' } });
    expect(patched.body.notes).toMatchObject([{ field: 'fields.host' }]);
    const rotated = await vault.call('POST', `${path}/${id}/fields/signing_secret/rotate`, {
      value: 'another secret\n',
    });
    expect(rotated.body.notes).toMatchObject([{ field: 'fields.signing_secret' }]);
    expect((await stored()).body.fields).toMatchObject({ host: 'smtp' });
  });
});

it('what can protect is stored as it is, in every form', async () => {
  for (const fields of [
    { signing_secret: 'a secret' },
    {
      signing_secret: '8f742231b10e8888abcd99yyyzzz85a5',
      signing_secret_next: `whsec_${randomBytes(24).toString('base64')}`,
    },
    { event_public_key: pem('public') },
    { event_public_key: der() },
    { discord_public_key: hex },
    { password: 'p', host: '', prefix: 'sha256=' },
    { authorization: 'Bearer abcdef' },
    { note: 'Bearer of news' },
    { verify_token: 'right' },
    { token_type: 'none', token_required: 'true' },
    { account_key: '{"type":"service_account"}', password: 'it\'s "quoted"', api_key: 'QUJD_REVG==', note: '"quoted"' },
    { password: 'my***pass', webhook_secret: 'costs $5 and <more> {{than}} that' },
    { signing_secret: 'a........long secret of many words' },
  ]) {
    expect([fields, (await create('text', fields)).status]).toEqual([fields, 201]);
  }
  expect((await create('api_key', { token: 'a' })).status).toBe(201);
});
