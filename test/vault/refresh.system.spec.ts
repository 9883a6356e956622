import { until } from '#libs/testing';
import type { Schema } from '../../apps/console/src/api/named-schema.js';
import { type OauthWorld, startWorld } from './oauth-world.js';

let world: OauthWorld;

beforeAll(async () => {
  world = await startWorld({ count: 4, env: { TOKEN_HOST_CONCURRENCY: '32', REFRESH_MIN_INTERVAL_SECONDS: '30' } });
});

afterAll(() => world?.close());

afterEach(() => world.provider.configure({ faults: [], delayMs: 0, graceMs: 0, release: true }));

/** Makes the next attempt due. */
const noPause = (id: string) =>
  world.vaults.db.query('UPDATE vault.oauth_grant SET next_try_at = now() WHERE credential_id = $1', [id]);

const attemptsOf = async (id: string): Promise<(string | null)[]> => {
  const { rows } = await world.vaults.db.query(
    'SELECT error_class FROM vault.refresh_attempt WHERE credential_id = $1 AND base_version >= 0 ORDER BY id',
    [id],
  );
  return rows.map((row: { error_class: string | null }) => row.error_class);
};

/** Checks that the grant is alive: the provider still issues tokens for what is stored. */
async function expectAlive(id: string): Promise<void> {
  await world.provider.configure({ faults: [], delayMs: 0 });
  const { version } = await world.row(id);
  await world.expire(id);
  await noPause(id);
  expect((await world.vaults.resolve(id)).status).toBe(200);
  expect(await world.row(id)).toMatchObject({ state: 'active', version: version + 1 });
}

describe('500 callers on 4 processes with an expired token', () => {
  it.each([
    ['at a quick provider', 0],
    ['at a provider three times slower than the lease', 3_000],
  ])('spend one refresh token and all get the new access token, %s', async (name, delayMs) => {
    const id = await world.connected(`callers ${name}`);
    await world.expire(id);
    await world.provider.configure({ delayMs });
    const answers = await Promise.all(Array.from({ length: 500 }, (_, caller) => world.vaults.resolve(id, caller % 4)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.fields.access_token)).size).toBe(1);
    expect(await world.provider.refreshes()).toHaveLength(1);
    await expectAlive(id);
  });
});

describe('a refresh', () => {
  it('happens in the background while the token is still valid for the call', async () => {
    const id = await world.connected('background');
    const before = (await world.vaults.resolve(id)).body.fields.access_token;
    await world.vaults.db.query(
      `UPDATE vault.oauth_grant SET refresh_due_at = now(), obtained_at = obtained_at - interval '10 minutes'
        WHERE credential_id = $1`,
      [id],
    );
    await world.provider.configure({ faults: [{ kind: 'hold-after' }] });
    expect((await world.vaults.resolve(id)).body.fields.access_token).toBe(before);
    await until('the refresh is in flight', async () => (await world.provider.recorded()).held === 1);
    expect((await world.vaults.call<Schema<'GrantView'>>('GET', `/api/v1/credentials/${id}/oauth`)).body.state).toBe(
      'refreshing',
    );
    await world.provider.configure({ release: true });
    await until('it is done', async () => (await world.row(id)).version === 2);
  });

  it('hands out no token with a shorter lifetime than requested', async () => {
    const id = await world.connected('least');
    await world.vaults.db.query(
      `UPDATE vault.oauth_grant SET obtained_at = now() - interval '1 h', at_expires_at = now() + interval '50 s',
           refresh_due_at = now() + interval '1 h'
        WHERE credential_id = $1`,
      [id],
    );
    expect((await world.vaults.resolve(id, 0, 40)).status).toBe(200);
    expect((await world.row(id)).version).toBe(1);
    expect((await world.vaults.resolve(id, 0, 120)).status).toBe(200);
    expect((await world.row(id)).version).toBe(2);
  });

  it('happens by itself when it is due, once for a credential that five consumers are bound to', async () => {
    const id = await world.connected('bound');
    for (const [kind, name] of [
      ['app', 'app_1'],
      ['app', 'app_2'],
      ['app', 'app_3'],
      ['skill', 's_1'],
      ['skill', 's_2'],
    ]) {
      const consumer = { consumer_kind: kind, consumer_id: name };
      const bound = await world.vaults.call('POST', `/api/v1/credentials/${id}/bindings`, consumer);
      expect(bound.status).toBeLessThan(300);
    }
    await world.expire(id);
    const [sweeping] = await Promise.all([
      world.vaults.resolve(id),
      world.vaults.resolve(id, 1),
      world.vaults.resolve(id, 2),
    ]);
    expect(sweeping.status).toBe(200);
    expect(await world.provider.refreshes()).toHaveLength(1);
  });

  it('keeps the old refresh token when the provider sends no new one', async () => {
    const id = await world.connected('not rotated');
    await world.expire(id);
    await world.provider.configure({ faults: [{ kind: 'patch', fields: { refresh_token: null } }], graceMs: 60_000 });
    expect((await world.vaults.resolve(id)).status).toBe(200);
    await world.expire(id);
    expect((await world.vaults.resolve(id)).status).toBe(200);
    const [first, second] = await world.provider.refreshes();
    expect(second?.refreshToken).toBe(first?.refreshToken);
  });

  it('reads odd answers: no token_type, a status of 201, a scope list, an expires_in in text', async () => {
    const id = await world.connected('odd');
    await world.expire(id);
    const fields = { token_type: null, scope: ['mail', 'files'], expires_in: '1800', id_token: 'rubbish' };
    await world.provider.configure({ faults: [{ kind: 'patch', status: 201, fields }] });
    expect((await world.vaults.resolve(id)).status).toBe(200);
    expect(await world.row(id)).toMatchObject({ state: 'active', version: 2 });
    await expectAlive(id);
  });

  it('survives a provider that is down, reports that once, and recovers', async () => {
    const id = await world.connected('away');
    await world.expire(id);
    await world.provider.configure({ faults: [{ kind: 'status', status: 503, times: 3 }] });
    for (const failures of [1, 2, 3]) {
      await noPause(id);
      const { status, body, headers } = await world.vaults.resolve(id);
      expect({ failures, status, code: body.code }).toEqual({ failures, status: 503, code: 'refresh_pending' });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(await world.row(id)).toMatchObject({ state: 'degraded', reason: 'provider_unavailable' });
    await noPause(id);
    expect((await world.vaults.resolve(id)).status).toBe(200);
    const { body } = await world.vaults.call<Schema<'GrantView'>>('GET', `/api/v1/credentials/${id}/oauth`);
    expect(body.events.map((event: { to: string }) => event.to)).toEqual(['active', 'degraded', 'active']);
  });

  it('waits as long as a throttling provider says', async () => {
    const id = await world.connected('throttled');
    await world.expire(id);
    await world.provider.configure({ faults: [{ kind: 'status', status: 429, headers: { 'retry-after': '45' } }] });
    const { body, headers } = await world.vaults.resolve(id);
    expect({ code: body.code, wait: Number(headers.get('retry-after')) }).toEqual({
      code: 'refresh_pending',
      wait: 45,
    });
    expect((await world.vaults.resolve(id)).status).toBe(503);
    expect(await world.provider.refreshes()).toHaveLength(1);
  });

  it('requires a reconnect when the provider ended the grant, and is not tried again', async () => {
    const id = await world.connected('ended');
    await world.expire(id);
    await world.provider.configure({
      faults: [
        {
          kind: 'status',
          status: 400,
          text: '{"error":"invalid_grant"}',
          headers: { 'content-type': 'application/json' },
        },
      ],
    });
    for (const asks of [1, 2])
      expect({ asks, code: (await world.vaults.resolve(id)).body.code }).toEqual({ asks, code: 'needs_reconnect' });
    expect(await world.row(id)).toMatchObject({ state: 'needs_reconnect', reason: 'invalid_grant' });
    expect(await world.provider.refreshes()).toHaveLength(1);
    await world.connect(id);
    expect((await world.vaults.resolve(id)).status).toBe(200);
  });

  it.each<[string, number, string]>([
    ['inside a success', 200, '{"ok":false,"error":"invalid_refresh_token"}'],
    ['by a code of the provider', 400, '{"status":"BAD_REFRESH_TOKEN","message":"unknown refresh token"}'],
    ['as a refused client', 403, '{"error":"unauthorized_client","error_description":"refresh_token is invalid"}'],
    ['without a body', 401, ''],
  ])('ends one grant when its refresh token is refused %s (%i), and pauses no other', async (how, status, text) => {
    const [id, other] = [await world.connected(`dead ${how}`), await world.connected(`neighbour ${how}`)];
    for (const one of [id, other]) await world.expire(one);
    const headers = { 'content-type': 'application/json' };
    await world.provider.configure({ faults: [{ kind: 'status', status, text, headers }], reset: true });
    expect((await world.vaults.resolve(id)).body.code).toBe('needs_reconnect');
    expect((await world.vaults.resolve(other)).status).toBe(200);
    expect(await world.row(id)).toMatchObject({ state: 'needs_reconnect', reason: 'invalid_grant' });
    expect(await world.provider.refreshes()).toHaveLength(2);
  });

  it.each<[string, unknown]>([
    ['zero', 0],
    ['negative', -5],
    ['a word', 'soon'],
    ['a decimal in text', '3599.0'],
    ['beyond all dates', 1e15],
    ['one second', 1],
  ])('is not repeated and loses no token when expires_in is %s', async (what, expires_in) => {
    const id = await world.connected(`life ${what}`);
    await world.expire(id);
    const fields = { expires_in, refresh_token_expires_in: 1e300 };
    await world.provider.configure({ faults: [{ kind: 'patch', fields }], reset: true });
    for (let asked = 0; asked < 5; asked += 1) expect((await world.vaults.resolve(id)).status).toBe(200);
    expect(await world.provider.refreshes()).toHaveLength(1);
    expect(await world.row(id)).toMatchObject({ state: 'active', version: 2 });
  });

  it('pauses all grants of a client that is refused, and tries all of them when a secret is corrected', async () => {
    const [id, other] = [await world.connected('client'), await world.connected('same client')];
    const refused = {
      kind: 'status',
      status: 401,
      text: '{"error":"invalid_client"}',
      headers: { 'content-type': 'application/json' },
    } as const;
    for (const one of [id, other]) await world.expire(one);
    await world.provider.configure({ faults: [refused], reset: true });
    for (const one of [id, other]) expect((await world.vaults.resolve(one)).body.code).toBe('refresh_pending');
    expect(await world.provider.refreshes()).toHaveLength(1);
    expect(await world.row(id)).toMatchObject({ state: 'degraded', reason: 'client_rejected' });
    await world.vaults.call('PATCH', `/api/v1/credentials/${id}`, { fields: { client_secret: 'a-client-secret' } });
    for (const one of [id, other]) expect((await world.vaults.resolve(one)).status).toBe(200);
  });

  it('stores an answer that it cannot read, and has lost nothing when the next one is readable', async () => {
    const id = await world.connected('malformed');
    await world.expire(id);
    await world.provider.configure({ faults: [{ kind: 'raw', text: '<html>' }], graceMs: 60_000 });
    expect((await world.vaults.resolve(id)).body.code).toBe('refresh_pending');
    expect(await world.row(id)).toMatchObject({ state: 'degraded', reason: 'malformed_answer' });
    await noPause(id);
    expect((await world.vaults.resolve(id)).status).toBe(200);
    await world.provider.configure({ graceMs: 0 });
    await expectAlive(id);
  });
});

describe('an answer that is lost', () => {
  it('is requested once more at once, which a provider with a grace period answers', async () => {
    const id = await world.connected('grace');
    await world.expire(id);
    await world.provider.configure({ faults: [{ kind: 'drop-after' }], graceMs: 10_000 });
    expect((await world.vaults.resolve(id)).status).toBe(200);
    expect(await attemptsOf(id)).toEqual(['unanswered', 'ok']);
    await world.provider.configure({ graceMs: 0 });
    await expectAlive(id);
  });

  it('ends the grant at a provider without one, and the state says why', async () => {
    const id = await world.connected('no grace');
    await world.expire(id);
    await world.provider.configure({ faults: [{ kind: 'drop-after' }] });
    expect((await world.vaults.resolve(id)).body).toMatchObject({ status: 409, code: 'needs_reconnect' });
    expect(await world.row(id)).toMatchObject({ state: 'needs_reconnect', reason: 'refresh_outcome_unknown' });
    expect(await attemptsOf(id)).toEqual(['unanswered', 'grant']);
  });

  it('does not end a grant while nobody said that it is dead', async () => {
    const id = await world.connected('silent');
    await world.expire(id);
    await world.provider.configure({ faults: [{ kind: 'drop-before', times: 3 }] });
    expect((await world.vaults.resolve(id)).body.code).toBe('refresh_pending');
    expect(await world.row(id)).toMatchObject({ state: 'degraded', reason: 'refresh_outcome_unknown' });
    await noPause(id);
    expect((await world.vaults.resolve(id)).body.code).toBe('refresh_pending');
    await noPause(id);
    expect((await world.vaults.resolve(id)).status).toBe(200);
    await expectAlive(id);
  });
});

describe('a reconnect during a refresh', () => {
  it('wins: the answer of the refresh is stored and not applied', async () => {
    const id = await world.connected('race');
    await world.expire(id);
    await world.provider.configure({ faults: [{ kind: 'hold-after' }] });
    const caller = world.vaults.resolve(id);
    await until('the refresh is in flight', async () => (await world.provider.recorded()).held === 1);
    await world.connect(id);
    const token = (await world.vaults.resolve(id, 1)).body.fields.access_token;
    await world.provider.configure({ release: true });
    expect((await caller).body.fields.access_token).toBe(token);
    await until('the refresh has ended', async () => (await world.row(id)).attempt_id === null);
    expect(await world.row(id)).toMatchObject({ state: 'active', version: 2 });
    await expectAlive(id);
  });
});
