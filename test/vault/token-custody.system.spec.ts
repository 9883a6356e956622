import { until } from '#libs/testing';
import type { Schema } from '../../apps/console/src/api/named-schema.js';
import { type OauthWorld, startWorld } from './oauth-world.js';
import { person } from './vault-processes.js';

let world: OauthWorld;

beforeAll(async () => {
  world = await startWorld({ env: { REFRESH_SWEEP_MS: '300', REVOCATION_ATTEMPTS: '3' } });
});

afterAll(() => world?.close());

afterEach(async () => {
  await world.provider.configure({ faults: [], revocationStatus: 200, reset: true });
  await world.vaults.db.query('DELETE FROM vault.revocation');
});

const path = (id: string, more = ''): string => `/api/v1/credentials/${id}${more}`;
const remove = (id: string) => world.vaults.call('DELETE', path(id));
const disconnect = (id: string) => world.vaults.call('POST', path(id, '/oauth/revoke'));

/** The distinct tokens that the provider saw. */
const revoked = async (): Promise<string[]> => [...new Set((await world.provider.recorded()).revoked)];
const untilRevoked = (count: number) =>
  until(`${count} tokens were revoked`, async () => (await revoked()).length === count);
const nothingWaits = () =>
  until('no revocation waits', async () => {
    const { rows } = await world.vaults.db.query('SELECT id FROM vault.revocation');
    return rows.length === 0;
  });

/** Returns from the provider as somebody else. @returns the flow that waits for a confirmation */
async function asMallory(id: string): Promise<string> {
  const { callback, browser } = await world.authorize(id, 'mallory');
  expect(await (await browser.get(callback.href)).text()).toContain('Different account');
  const { rows } = await world.vaults.db.query(
    'SELECT id FROM vault.oauth_flow WHERE credential_id = $1 AND unconfirmed_attempt IS NOT NULL',
    [id],
  );
  return rows[0].id as string;
}

/** Asks for an expired token; the provider has rotated, and its answer is in flight. */
async function heldRefresh(id: string): Promise<{ resolved: Promise<{ status: number }> }> {
  await world.expire(id);
  await world.provider.configure({ faults: [{ kind: 'hold-after' }] });
  const resolved = world.vaults.resolve(id);
  await until('the refresh is held', async () => (await world.provider.recorded()).held > 0);
  return { resolved };
}

describe('another account that waits for confirmation', () => {
  it('has its tokens revoked when the time for it is over; the first account stays', async () => {
    const id = await world.connected('unconfirmed');
    const flow = await asMallory(id);
    expect(await revoked()).toEqual([]);
    await world.vaults.db.query('UPDATE vault.oauth_flow SET expires_at = now() WHERE id = $1', [flow]);
    await untilRevoked(2);
    await nothingWaits();
    expect((await world.vaults.call('POST', path(id, `/connect/${flow}/confirm`))).status).toBe(404);
    expect(await world.row(id)).toMatchObject({ state: 'active', version: 1 });
    await world.expire(id);
    expect((await world.vaults.resolve(id)).status).toBe(200);
  });

  it('has them revoked at once when it is declined, by somebody whom the project and the scope allow', async () => {
    const id = await world.connected('declined');
    const decline = path(id, `/connect/${await asMallory(id)}/decline`);
    const reader = { ...person, scopes: ['credentials:read' as const] };
    expect((await world.vaults.call('POST', decline, undefined, reader)).status).toBe(403);
    const stranger = { ...person, organizationId: 'org_b' };
    expect((await world.vaults.call('POST', decline, undefined, stranger)).status).toBe(404);
    expect((await world.vaults.call('POST', decline)).body).toMatchObject({ state: 'active', version: 1 });
    await untilRevoked(2);
    expect((await world.vaults.call('POST', decline)).status).toBe(404);
    expect((await world.vaults.resolve(id)).status).toBe(200);
  });

  it('has them revoked with the current ones when its credential is deleted', async () => {
    const id = await world.connected('deleted with both');
    await asMallory(id);
    expect((await remove(id)).status).toBe(204);
    await untilRevoked(4);
    await nothingWaits();
  });

  it('has them revoked with the current ones when its credential is disconnected', async () => {
    const id = await world.connected('disconnected with both');
    const flow = await asMallory(id);
    expect((await disconnect(id)).body).toMatchObject({ state: 'revoked' });
    await untilRevoked(4);
    expect((await world.vaults.call('POST', path(id, `/connect/${flow}/confirm`))).status).toBe(404);
  });

  it('replaces the first account when it is confirmed: the old tokens are revoked, and its own work', async () => {
    const id = await world.connected('confirmed');
    const first = await world.vaults.resolve(id);
    const flow = await asMallory(id);
    expect((await world.vaults.call('POST', path(id, `/connect/${flow}/confirm`))).status).toBe(200);
    await untilRevoked(2);
    expect(await revoked()).toContain(first.body.fields.access_token);
    await world.expire(id);
    expect((await world.vaults.resolve(id)).status).toBe(200);
  });
});

describe('the same account connected again', () => {
  it('has nothing revoked: a provider may end the whole consent, and the new tokens with it', async () => {
    const id = await world.connected('again');
    await world.connect(id);
    expect(await world.row(id)).toMatchObject({ version: 2 });
    const { rows } = await world.vaults.db.query('SELECT id FROM vault.revocation');
    expect({ rows, revoked: await revoked() }).toEqual({ rows: [], revoked: [] });
  });

  it('has the replaced tokens revoked at a provider that keeps consents apart', async () => {
    const id = await world.connected('apart');
    await world.vaults.db.query(
      `UPDATE vault.oauth_grant SET provider = jsonb_set(provider, '{quirks}', $2) WHERE credential_id = $1`,
      [id, JSON.stringify({ separate_consents: true })],
    );
    await world.connect(id);
    await untilRevoked(2);
    await world.expire(id);
    expect((await world.vaults.resolve(id)).status).toBe(200);
  });
});

describe('a refresh that ends after its tokens were released', () => {
  it.each([
    ['a disconnection', disconnect, 409],
    ['a deletion', remove, 404],
  ])('also has its new tokens revoked: %s', async (what, letGo, status) => {
    const id = await world.connected(`late after ${what}`);
    const { resolved } = await heldRefresh(id);
    await letGo(id);
    await untilRevoked(2);
    const before = await revoked();
    await world.provider.configure({ release: true });
    expect((await resolved).status).toBe(status);
    await untilRevoked(4);
    expect((await revoked()).slice(0, 2)).toEqual(before);
    await nothingWaits();
    const { rows } = await world.vaults.db.query(
      'SELECT state, access_token, attempt_id FROM vault.oauth_grant WHERE credential_id = $1',
      [id],
    );
    expect(rows).toEqual(status === 404 ? [] : [{ state: 'revoked', access_token: null, attempt_id: null }]);
  });

  it.each([
    ['a disconnection', disconnect],
    ['a deletion', remove],
  ])('leaves no refresh token alive, whichever of the two is first: %s', async (what, letGo) => {
    for (const delayMs of [0, 3, 6, 12, 25, 50]) {
      const id = await world.credential(`races ${what} ${delayMs}`);
      await world.provider.configure({ delayMs: 0, reset: true });
      await world.connect(id);
      await world.expire(id);
      await world.provider.configure({ delayMs });
      await Promise.all([world.vaults.resolve(id), letGo(id)]);
      await nothingWaits();
      const recorded = await world.provider.recorded();
      const spent = new Set([...recorded.revoked, ...recorded.issued.map(({ from }) => from)]);
      expect(recorded.issued.length).toBeGreaterThan(0);
      expect(recorded.issued.filter(({ token }) => !spent.has(token))).toEqual([]);
    }
    await world.provider.configure({ delayMs: 0 });
  });

  it('has them revoked even if its process died with the answer stored', async () => {
    const id = await world.connected('stranded');
    await asMallory(id);
    // The state after a crash between the answer and the flow’s row some time ago, followed by a disconnection by
    // another process.
    const { rows } = await world.vaults.db.query(
      `UPDATE vault.oauth_flow SET unconfirmed_attempt = NULL
        WHERE credential_id = $1 AND unconfirmed_attempt IS NOT NULL RETURNING id`,
      [id],
    );
    expect(rows).toHaveLength(1);
    await world.vaults.db.query(
      `UPDATE vault.oauth_grant SET state = 'revoked', version = version + 1, access_token = NULL, refresh_token = NULL
        WHERE credential_id = $1`,
      [id],
    );
    await world.vaults.db.query(
      `UPDATE vault.refresh_attempt SET sent_at = now() - interval '1 hour' WHERE credential_id = $1`,
      [id],
    );
    await untilRevoked(2);
    await nothingWaits();
  });
});

describe('a code whose credential is deleted during the exchange', () => {
  it('has its tokens revoked, and the person is informed', async () => {
    const id = await world.credential('gone meanwhile');
    const { callback, browser } = await world.authorize(id);
    await world.provider.configure({ faults: [{ kind: 'hold-after' }], reset: true });
    const answered = browser.get(callback.href);
    await until('the exchange is held', async () => (await world.provider.recorded()).held > 0);
    expect((await remove(id)).status).toBe(204);
    await world.provider.configure({ release: true });
    expect((await answered).status).toBe(404);
    await untilRevoked(2);
    await nothingWaits();
  });
});

describe('a provider that does not accept a revocation', () => {
  const listed = async () =>
    (await world.vaults.call<Schema<'RevocationPage'>>('GET', '/api/v1/credentials/revocations')).body.data;
  const makeDue = () => world.vaults.db.query('UPDATE vault.revocation SET due_at = now()');

  it('is asked again, and waiting revocations are shown to their project', async () => {
    await world.provider.configure({ revocationStatus: 503 });
    const id = await world.connected('waits');
    await remove(id);
    await until('it was tried', async () => (await listed())[0]?.last_error === 'http_503');
    expect(await listed()).toMatchObject([
      { credential_id: id, reason: 'deleted', state: 'waiting', provider: 'acme' },
    ]);
    expect(JSON.stringify(await listed())).not.toMatch(/token|secret/);
    const stranger = { ...person, organizationId: 'org_b' };
    const theirs = await world.vaults.call<Schema<'RevocationPage'>>(
      'GET',
      '/api/v1/credentials/revocations',
      undefined,
      stranger,
    );
    expect(theirs.body.data).toEqual([]);
    await world.provider.configure({ revocationStatus: 200 });
    await makeDue();
    await untilRevoked(2);
    await nothingWaits();
  });

  it('is given up after so many attempts, or at once when it refuses the client; the loss stays visible', async () => {
    await world.provider.configure({ revocationStatus: 503 });
    const id = await world.connected('given up');
    await disconnect(id);
    await until('it is given up', async () => {
      await makeDue();
      return (await listed())[0]?.state === 'gave_up';
    });
    expect(await listed()).toMatchObject([{ credential_id: id, reason: 'disconnected', next_try_at: null }]);
    await world.provider.configure({ revocationStatus: 401 });
    await disconnect(await world.connected('refused'));
    await until('it is refused', async () => (await listed()).length === 2 && (await listed())[0]?.state === 'gave_up');
    expect(await listed()).toMatchObject([{ attempts: 1, last_error: 'http_401' }, { attempts: 3 }]);
  });
});
