import { until } from '#libs/testing';
import { randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import {
  fakeTokenEndpoint,
  type FakeTokenEndpoint,
  oauthCredential,
  type TokenAnswerOf,
} from '../testing/fake-token-endpoint.js';
import { unboundPolicy, vaultWorld, type VaultWorld } from '../testing/vault-world.js';

const keys = new KekRing('k1', new Map([['k1', randomBytes(32)]]));
const refusal: TokenAnswerOf = { status: 401, body: { error: 'invalid_client' } };
const tokens: TokenAnswerOf = { body: { access_token: 'at', expires_in: 3_600 } };
let vault: VaultWorld;
let provider: FakeTokenEndpoint;
let count = 0;

beforeAll(async () => {
  provider = await fakeTokenEndpoint();
  vault = await vaultWorld(keys, { SERVICE_POLICY: unboundPolicy });
});
afterAll(async () => {
  await vault?.close();
  await provider?.close();
});

const client = (client_secret: string, client_id = `client ${count}`) => ({ client_id, client_secret });
const credential = (fields: Record<string, string>, config: object = provider.config): Promise<string> =>
  oauthCredential(vault, `credential ${(count += 1)}`, config, { fields });
const change = (id: string, fields: object) => vault.call('PATCH', `credentials/${id}`, { fields });

/** Asks for a token. @returns the status, and how many token requests that took */
async function ask(id: string): Promise<{ status: number; calls: number }> {
  const before = provider.requests.length;
  const body = { credential_id: id };
  const { status } = await vault.internal('POST', 'credentials/resolve', body);
  return { status, calls: provider.requests.length - before };
}

const refused = { status: 503, calls: 1 };
const paused = { status: 503, calls: 0 };
const given = { status: 200, calls: 1 };

describe('a refused client', () => {
  it('pauses the credentials with the same id and secret, which say why, and no others', async () => {
    const wrong = client('mistyped');
    provider.answer(({ client_secret: secret }) => (secret === 'mistyped' ? refusal : tokens));
    const [first, same] = [await credential(wrong), await credential(wrong)];
    const [right, otherId] = [
      await credential(client('right', wrong.client_id)),
      await credential({ ...wrong, client_id: 'another client' }),
    ];
    expect(await ask(first)).toEqual(refused);
    expect(await ask(same)).toEqual(paused);
    expect(await ask(right)).toEqual(given);
    expect(await ask(otherId)).toEqual(refused);
    expect((await vault.call('GET', `credentials/${same}`)).body).toMatchObject({
      status: 'degraded',
      reason: 'client_rejected',
    });
  });

  it('is tried again by all as soon as one of them has another secret', async () => {
    const wrong = client('expired');
    provider.answer(() => refusal);
    const ids = [await credential(wrong), await credential(wrong), await credential(wrong)];
    const [first = '', second = '', third = ''] = ids;
    expect([await ask(first), await ask(second), await ask(third)]).toEqual([refused, paused, paused]);
    provider.answer(() => tokens);
    await change(third, { client_secret: 'renewed' });
    expect([await ask(third), await ask(second), await ask(first)]).toEqual([given, given, given]);
  });

  it('is tried again when the refused credential itself is corrected, and pauses nothing when it is deleted', async () => {
    const wrong = client('lost');
    provider.answer(() => refusal);
    const [first, second, third] = [await credential(wrong), await credential(wrong), await credential(wrong)];
    expect([await ask(first), await ask(second)]).toEqual([refused, paused]);
    await change(first, { client_secret: 'found' });
    expect(await ask(second)).toEqual(refused);
    expect(await ask(third)).toEqual(paused);
    await vault.call('DELETE', `credentials/${second}`);
    provider.answer(() => tokens);
    await vault.query(`UPDATE vault.oauth_grant SET next_try_at = now() WHERE credential_id = $1`, [third]);
    expect(await ask(third)).toEqual(given);
  });

  it('is tried again when the configuration of one of them changes', async () => {
    const wrong = client('sent in the wrong way');
    provider.answer(() => refusal);
    const [first, second] = [await credential(wrong), await credential(wrong)];
    expect([await ask(first), await ask(second)]).toEqual([refused, paused]);
    provider.answer(() => tokens);
    await vault.call('PUT', `credentials/${first}/oauth`, { config: provider.config });
    expect([await ask(second), await ask(first)]).toEqual([given, given]);
  });

  it('is tried again when the provider has accepted the same secret meanwhile', async () => {
    const odd = client('accepted after all');
    const [first, second, third] = [await credential(odd), await credential(odd), await credential(odd)];
    let release: (answer: TokenAnswerOf) => void = () => undefined;
    const held = new Promise<TokenAnswerOf>((resolve) => {
      release = resolve;
    });
    provider.answer(() => held);
    const before = provider.requests.length;
    const slow = ask(first);
    await until('the first request is there', () => Promise.resolve(provider.requests.length > before));
    provider.answer(() => refusal);
    expect(await ask(second)).toEqual(refused);
    expect(await ask(third)).toEqual(paused);
    release(tokens);
    expect((await slow).status).toBe(200);
    provider.answer(() => tokens);
    expect(await ask(third)).toEqual(given);
  });

  it('costs one request for any number of new secrets that are wrong too', async () => {
    provider.answer(() => refusal);
    const wrong = client('wrong');
    const [first, second] = [await credential(wrong), await credential(wrong)];
    for (const client_secret of ['wrong', 'wrong 2', 'wrong 3']) {
      for (const id of [first, second]) await change(id, { client_secret });
      expect([await ask(first), await ask(second), await ask(first)]).toEqual([refused, paused, paused]);
    }
  });
});
