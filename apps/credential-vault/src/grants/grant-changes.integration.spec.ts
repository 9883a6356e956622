import { ChangeListener } from '#libs/database';
import { home, until } from '#libs/testing';
import { randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import { vaultWorld, type VaultWorld } from '../testing/vault-world.js';

let vault: VaultWorld;
let id: string;
const heard: (string | null)[] = [];

beforeAll(async () => {
  vault = await vaultWorld(new KekRing('k1', new Map([['k1', randomBytes(32)]])));
  const changes = vault.app.get(ChangeListener);
  changes.on('credential', (key) => heard.push(key));
  await until('the vault listens for changes', async () => changes.listening);
  const fields = { client_id: 'id', client_secret: 'secret' };
  const body = { name: 'calendar', type: 'oauth2', grant: 'authorization_code', fields };
  id = (await vault.call('POST', 'credentials', body)).body.id;
  await vault.query(
    `INSERT INTO vault.oauth_grant (credential_id, organization_id, project_id, grant_type, provider_slug, state, version,
       refresh_due_at, client_config_version, consecutive_failures, unanswered, next_try_at, scopes, missing_scopes)
     VALUES ($1, $2, $3, 'authorization_code', 'google', 'active', 1, 'infinity', 0, 0, 0, 'infinity', '{}', '{}')`,
    [id, home.organizationId, home.projectId],
  );
});
afterAll(() => vault.close());

/** What is announced when the grant is updated so. */
async function announcedBy(update: string): Promise<(string | null)[]> {
  heard.length = 0;
  const rows = await vault.query(
    `UPDATE vault.oauth_grant SET ${update} WHERE credential_id = $1 RETURNING credential_id`,
    [id],
  );
  expect(rows.flat()).toContainEqual({ credential_id: id });
  return [...heard];
}

describe('a grant', () => {
  it.each([
    ['gets new tokens', `version = version + 1, access_token = 'new', obtained_at = now(), attempt_id = NULL`],
    ['gets another time at which its token ends', `at_expires_at = now() + interval '1 hour'`],
    ['may not be used any longer', `state = 'revoked'`],
  ])('that %s announces its credential', async (_what, update) => {
    expect(await announcedBy(update)).toEqual([id]);
  });

  it.each([
    ['is being refreshed', `attempt_id = 'try_1', attempt_heartbeat = now()`],
    ['could not be refreshed yet', `consecutive_failures = 1, unanswered = 1, next_try_at = now(), swept_at = now()`],
    ['has its key wrapped anew', `kid = 'k2', wrapped_dek = 'wrapped'`],
  ])('that %s announces nothing: its tokens are the same', async (_what, update) => {
    expect(await announcedBy(update)).toEqual([]);
  });

  it('that is deleted with its credential announces it', async () => {
    heard.length = 0;
    await vault.query('DELETE FROM vault.oauth_grant WHERE credential_id = $1', [id]);
    expect(heard).toEqual([id]);
  });
});
