import { until } from '#libs/testing';
import type { Schema } from '../../apps/console/src/api/named-schema.js';
import { type OauthWorld, startWorld } from './oauth-world.js';

let world: OauthWorld;

beforeAll(async () => {
  world = await startWorld({ env: { REFRESH_SWEEP_MS: '300' }, oauthConfig: { quirks: { revoked_errors: ['gone'] } } });
});

afterAll(() => world?.close());

afterEach(() => world.provider.configure({ faults: [], reset: true }));

const revoke = (id: string) => world.vaults.call<Schema<'GrantView'>>('POST', `/api/v1/credentials/${id}/oauth/revoke`);

describe('revoking without deleting', () => {
  it('removes the tokens here and at the provider, and keeps the credential', async () => {
    const id = await world.connected('revoked');
    const answer = await revoke(id);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ state: 'revoked', reason: 'revoked_by_user', next_refresh_at: null });
    expect(answer.body.events[0]).toMatchObject({ from: 'active', to: 'revoked' });
    expect((await world.vaults.resolve(id)).body).toMatchObject({ status: 409, code: 'revoked' });
    await until('both tokens were revoked', async () => (await world.provider.recorded()).revoked.length === 2);
    const { rows } = await world.vaults.db.query(
      'SELECT access_token, refresh_token FROM vault.oauth_grant WHERE credential_id = $1',
      [id],
    );
    expect(rows).toEqual([{ access_token: null, refresh_token: null }]);
    const audit = await world.vaults.call<Schema<'AuditPage'>>('GET', `/api/v1/credentials/${id}/audit`);
    expect(audit.body.data.map(({ action }: { action: string }) => action)).toContain('revoked');
    await world.connect(id);
    expect(await world.row(id)).toMatchObject({ state: 'active', reason: null });
    expect((await world.vaults.resolve(id)).status).toBe(200);
  });

  it('needs the scope and the project, and a grant', async () => {
    const id = await world.connected('guarded');
    const path = `/api/v1/credentials/${id}/oauth/revoke`;
    const reader = {
      subject: 'key:2',
      organizationId: 'org_a',
      projectId: 'prj_a',
      scopes: ['credentials:read' as const],
    };
    expect((await world.vaults.call('POST', path, undefined, reader)).status).toBe(403);
    const stranger = { ...reader, organizationId: 'org_b', scopes: ['admin' as const] };
    expect((await world.vaults.call('POST', path, undefined, stranger)).status).toBe(404);
    expect((await revoke('crd_none')).status).toBe(404);
    expect(await world.row(id)).toMatchObject({ state: 'active' });
  });
});

describe('a provider that reports a withdrawn consent', () => {
  it.each(['token_revoked', 'gone'])('with %s ends the grant as revoked, and is not asked again', async (error) => {
    const id = await world.connected(`withdrawn ${error}`);
    await world.expire(id);
    await world.provider.configure({ faults: [{ kind: 'raw', status: 400, text: JSON.stringify({ error }) }] });
    expect((await world.vaults.resolve(id)).body).toMatchObject({ status: 409, code: 'revoked' });
    expect(await world.row(id)).toMatchObject({ state: 'revoked', reason: 'revoked_by_provider' });
    await world.vaults.resolve(id);
    expect(await world.provider.refreshes()).toHaveLength(1);
  });
});
