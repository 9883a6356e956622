import { verifyStandardWebhooks } from '#libs/adapter-sdk';
import { until } from '#libs/testing';
import type { Schema } from '../../apps/console/src/api/named-schema.js';
import { openSink, type Sink } from '../system/sink.js';
import { type OauthWorld, startWorld } from './oauth-world.js';
import { person } from './vault-processes.js';

const path = '/api/v1/credentials/notifications';

describe('the notifications of a project', () => {
  let world: OauthWorld;
  let sink: Sink;
  let secret: string;

  beforeAll(async () => {
    sink = await openSink();
    world = await startWorld({ count: 2, env: { NOTIFY_SWEEP_MS: '100' } });
    const put = await world.vaults.call<Schema<'NotificationsMade'>>('PUT', path, { url: `${sink.url}/hook` });
    expect(put.status).toBe(200);
    secret = put.body.secret;
  });
  afterAll(async () => {
    await world?.close();
    await sink?.close();
  });
  beforeEach(() => {
    sink.arrivals.length = 0;
    sink.answer = () => ({ status: 200 });
  });

  const notified = (id: string) =>
    sink.arrivals.filter(({ json }) => (json['data'] as { credential_id: string }).credential_id === id);
  const waiting = async (): Promise<number> => {
    const { rows } = await world.vaults.db.query('SELECT count(*)::int AS count FROM vault.notification');
    return rows[0].count;
  };

  it('report each change of state once, signed, and contain no secret', async () => {
    const id = await world.connected('told');
    await until('it is reported', async () => notified(id).length > 0 && (await waiting()) === 0);
    await world.vaults.call('POST', `/api/v1/credentials/${id}/oauth/revoke`);
    await until('the end is reported', async () => notified(id).length > 1 && (await waiting()) === 0);
    expect(notified(id).map(({ json }) => json)).toMatchObject([
      { type: 'credential.state_changed', data: { from: 'pending', to: 'active', provider: 'acme' } },
      { type: 'credential.state_changed', data: { from: 'active', to: 'revoked', reason: 'revoked_by_user' } },
    ]);
    for (const { headers, body } of notified(id)) {
      expect(verifyStandardWebhooks({ secret, headers, body })).toMatchObject({ ok: true });
    }
    expect(new Set(notified(id).map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  });

  it('are retried under the same id until they are accepted', async () => {
    sink.answer = () => ({ status: 503 });
    const id = await world.connected('tried again');
    await until('it was tried', () => notified(id).length === 1);
    sink.answer = () => ({ status: 204 });
    await until('it was accepted', async () => {
      await world.vaults.db.query('UPDATE vault.notification SET due_at = now() WHERE tries > 0');
      return (await waiting()) === 0;
    });
    expect(new Set(notified(id).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(notified(id).length).toBeGreaterThan(1);
  });

  it('that fail are shown on their credential: since when, why, and what to do once they are given up', async () => {
    sink.answer = () => ({ status: 410 });
    const id = await world.connected('failing');
    const failure = async () =>
      (await world.vaults.call<Schema<'CredentialView'>>('GET', `/api/v1/credentials/${id}`)).body.notification_failure;
    const first = await until('the credential shows it', failure);
    expect(first).toMatchObject({ code: 'receiver_refused', what_to_do: null });
    expect(first.error).toMatch(/could not be sent to the receiver: it answered 410/);
    expect(Date.parse(first.next_try_at ?? '')).toBeGreaterThan(Date.parse(first.since));
    await world.vaults.db.query('UPDATE vault.notification SET due_at = now(), tries = 13');
    const last = await until('it is given up', async () => {
      const shown = await failure();
      return shown?.next_try_at === null ? shown : null;
    });
    expect(last).toMatchObject({
      since: first.since,
      what_to_do: expect.stringMatching(/set the project's receiver again/),
    });
    expect((await world.vaults.call('GET', path)).body).toMatchObject({ waiting: 0, given_up: 1 });
    sink.answer = () => ({ status: 204 });
    const before = notified(id).length;
    secret = (await world.vaults.call<Schema<'NotificationsMade'>>('PUT', path, { url: `${sink.url}/hook` })).body
      .secret;
    await until('it is sent after all', async () => notified(id).length > before && (await failure()) === null);
    expect((await world.vaults.call('GET', path)).body).toMatchObject({ waiting: 0, given_up: 0 });
  });

  it('are configured by those who may, for their own project, with a valid target', async () => {
    expect((await world.vaults.call('GET', path)).body).toMatchObject({ url: `${sink.url}/hook` });
    const reader = { ...person, scopes: ['credentials:read' as const] };
    expect((await world.vaults.call('PUT', path, { url: sink.url }, reader)).status).toBe(403);
    const other = { ...person, organizationId: 'org_b', projectId: 'prj_b' };
    expect((await world.vaults.call('GET', path, undefined, other)).status).toBe(404);
    const wrong = await world.vaults.call<Schema<'Problem'>>('PUT', path, {
      url: 'ftp://example.com/',
      secret: 'short',
    });
    expect(wrong.body).toMatchObject({ status: 422, code: 'invalid_notifications' });
    expect(wrong.body.errors?.map(({ field }) => field)).toEqual(['url', 'secret']);
    await world.vaults.call('DELETE', path);
    const id = await world.connected('untold');
    expect(await world.row(id)).toMatchObject({ state: 'active' });
    expect(await waiting()).toBe(0);
  });
});
