import type { RowsPage } from '#libs/project-rows';
import { home } from '#libs/testing';
import { randomBytes } from 'node:crypto';
import { movedRows } from '../db/moved-rows.js';
import { KekRing } from '../sealing/kek-ring.js';
import { defaultPolicy } from '../service-policy/service-policy.js';
import { asService, type VaultWorld, vaultWorld } from '../testing/vault-world.js';

const secret = 'a secret that only the two vaults know';
const portal = asService('portal');
const SERVICE_POLICY = { ...defaultPolicy, support: { may: ['reveal' as const], consumers: [] } };
const support = asService('support', ['credentials:reveal']);

type Page = RowsPage & { next: string | null };

describe('credentials that move to another vault', () => {
  let here: VaultWorld;
  let there: VaultWorld;
  let key: { public_key: Record<string, unknown>; thumbprint: string };
  let credential: string;

  const ring = (kid: string) => new KekRing(kid, new Map([[kid, randomBytes(32)]]));
  const hold = (world: VaultWorld, state: string) =>
    world.query(
      `INSERT INTO journal.project_hold (project_id, organization_id, state, held_by) VALUES ($1, $2, $3, 'key:admin')
       ON CONFLICT (project_id) DO UPDATE SET state = excluded.state`,
      [home.projectId, home.organizationId, state],
    );
  const page = (table: string, recipient: object = key.public_key, as = portal) =>
    here.internal<Page & { code?: string }>('POST', 'project-rows/pages', { table, after: null, recipient }, as);
  const store = (table: string, { columns, rows }: RowsPage) =>
    there.internal<{ code?: string } | null>('POST', 'project-rows', { table, page: { columns, rows } }, portal);
  const reveal = async (world: VaultWorld) =>
    world.internal<{ fields: Record<string, string> }>(
      'POST',
      `credentials/${credential}/reveal`,
      { fields: ['token'], reason: 'to compare' },
      support,
    );

  beforeAll(async () => {
    there = await vaultWorld(ring('there'), { SERVICE_POLICY });
    key = (await there.internal<typeof key>('GET', 'arrival-key', undefined, portal)).body;
    here = await vaultWorld(ring('here'), { SERVICE_POLICY, MOVE_TARGET_KEYS: [key.thumbprint] });
    const made = await here.call<{ id: string }>('POST', 'credentials', {
      name: 'moved',
      type: 'text',
      fields: { token: secret },
    });
    expect(made).toMatchObject({ status: 201 });
    credential = made.body.id;
  });
  afterAll(async () => {
    await here?.close();
    await there?.close();
  });

  it('no row leaves a project that is not held, or for another service than the portal', async () => {
    expect((await page('vault.credential')).body).toMatchObject({ code: 'not_held' });
    await hold(here, 'leaving');
    const gateway = asService('adapter-gateway');
    expect((await page('vault.credential', key.public_key, gateway)).body).toMatchObject({ code: 'not_the_portal' });
  });

  it('no data key leaves for a vault that the settings do not name', async () => {
    const other = {
      kty: 'EC',
      crv: 'P-256',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    };
    expect((await page('vault.credential', other)).body).toMatchObject({ code: 'vault_not_named' });
    expect((await page('vault.credential', {})).body).toMatchObject({ code: 'vault_not_named' });
  });

  it('a credential opens there, under the key of that vault, and travels in no form that opens without it', async () => {
    await hold(there, 'arriving');
    let travelled = '';
    for (const { name } of movedRows.moved) {
      const { status, body } = await page(name);
      expect({ name, status }).toEqual({ name, status: 200 });
      travelled += JSON.stringify(body);
      expect({ name, status: (await store(name, body)).status }).toEqual({ name, status: 204 });
    }
    expect((await reveal(there)).body.fields).toEqual({ token: secret });
    const [row] = await there.query<{ kid: string }>('SELECT kid FROM vault.credential WHERE id = $1', [credential]);
    expect(row).toEqual({ kid: 'there' });
    const [own] = await here.query<{ dek: string }>(
      `SELECT encode(wrapped_dek, 'hex') AS dek FROM vault.credential WHERE id = $1`,
      [credential],
    );
    expect(travelled).not.toContain(secret);
    expect(travelled).not.toContain(own?.dek);
    expect((await reveal(here)).body.fields).toEqual({ token: secret });
  });

  it('a data key that was sealed for another row is refused', async () => {
    const { body } = await page('vault.credential');
    const at = body.columns.indexOf('id');
    const rows = body.rows.map((row) => row.with(at, 'cred_other'));
    expect((await store('vault.credential', { columns: body.columns, rows })).body).toMatchObject({
      code: 'key_does_not_open',
    });
  });
});
