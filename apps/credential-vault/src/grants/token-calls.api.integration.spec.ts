import { randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import { fakeTokenEndpoint, type FakeTokenEndpoint, oauthCredential } from '../testing/fake-token-endpoint.js';
import { unboundPolicy, vaultWorld, type VaultWorld } from '../testing/vault-world.js';

const keys = new KekRing('k1', new Map([['k1', randomBytes(32)]]));
const callers = 50;
const rounds = 4;
let vault: VaultWorld;
let provider: FakeTokenEndpoint;

beforeAll(async () => {
  provider = await fakeTokenEndpoint();
  vault = await vaultWorld(keys, { SERVICE_POLICY: unboundPolicy, REFRESH_MIN_INTERVAL_SECONDS: 300 });
});
afterAll(async () => {
  await vault?.close();
  await provider?.close();
});

const ask = async (id: string, least = 60): Promise<string> => {
  const body = { credential_id: id, min_valid_seconds: least };
  const answer = await vault.internal('POST', 'credentials/resolve', body);
  return answer.body.fields?.['access_token'] ?? String(answer.status);
};

/** @returns how many requests the provider got while so many callers asked, several times each */
async function callsFor(id: string, least = 60): Promise<number> {
  const before = provider.requests.length;
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(Array.from({ length: callers }, () => ask(id, least)));
  }
  return provider.requests.length - before;
}

const expire = (id: string) =>
  vault.query(
    `UPDATE vault.oauth_grant SET at_expires_at = now() - interval '1 s', refresh_due_at = now() - interval '1 s',
       next_try_at = now() WHERE credential_id = $1`,
    [id],
  );

describe('a provider that gives callers a reason to ask again', () => {
  it.each<[string, unknown]>([
    ['0', 0],
    ['-1', -1],
    ['1', 1],
    ['0.001', 0.001],
    ['a moment that is over', 1_000_000_000],
    ['no text', ''],
  ])('gets one request when expires_in is %s', async (what, expires_in) => {
    provider.answer(() => ({ body: { access_token: 'short', expires_in } }));
    const id = await oauthCredential(vault, `life ${what}`, provider.config);
    expect(await callsFor(id, 3_600)).toBe(1);
    expect(await ask(id)).toBe('short');
  });

  it('gets no request soon after another, although the row says that the token has expired', async () => {
    provider.answer(() => ({ body: { access_token: 'new', expires_in: 3_600 } }));
    const id = await oauthCredential(vault, 'row', provider.config);
    await ask(id);
    await expire(id);
    expect(await callsFor(id)).toBe(0);
    await vault.query(`UPDATE vault.oauth_grant SET obtained_at = now() - interval '301 s' WHERE credential_id = $1`, [
      id,
    ]);
    expect(await callsFor(id)).toBe(1);
  });

  it.each<[string, Parameters<FakeTokenEndpoint['answer']>[0], number]>([
    ['503', () => ({ status: 503, body: '' }), 1],
    ['503 with Retry-After: 0', () => ({ status: 503, body: '', headers: { 'retry-after': '0' } }), 1],
    ['429 with Retry-After: 0', () => ({ status: 429, body: '', headers: { 'retry-after': '0' } }), 1],
    ['invalid_client', () => ({ status: 401, body: { error: 'invalid_client' } }), 1],
    ['incorrect_client_credentials', () => ({ status: 400, body: { error: 'incorrect_client_credentials' } }), 1],
    ['invalid_grant', () => ({ status: 400, body: { error: 'invalid_grant' } }), 1],
    ['a page', () => ({ body: '<html>', headers: { 'content-type': 'text/html' } }), 1],
    ['no token', () => ({ body: { token_type: 'bearer' } }), 1],
    ['nothing', () => 'drop', 2],
  ])('gets few requests when it answers %s', async (what, answer, requests) => {
    provider.answer(answer);
    const id = await oauthCredential(vault, `answers ${what}`, {
      ...provider.config,
      token_url: `${provider.url}/${encodeURIComponent(what)}`,
    });
    expect(await callsFor(id)).toBe(requests);
  });

  it('gets one request for each change of the secret, right or wrong', async () => {
    provider.answer(({ client_secret: secret }) =>
      secret === 'right' ? { body: { access_token: 'at' } } : { status: 401, body: { error: 'invalid_client' } },
    );
    const id = await oauthCredential(vault, 'secrets', { ...provider.config, token_url: `${provider.url}/secrets` });
    for (const client_secret of ['wrong', 'wrong, too', 'right', 'wrong again']) {
      await vault.call('PATCH', `credentials/${id}`, { fields: { client_secret } });
      expect({ client_secret, calls: await callsFor(id) }).toEqual({
        client_secret,
        calls: client_secret === 'wrong again' ? 0 : 1,
      });
    }
    expect(await ask(id)).toBe('at');
  });
});
