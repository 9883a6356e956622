import { newId } from '#libs/contracts';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { MoveAcceptance } from '../move-accepts.js';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';
import { type Answer, post, send } from '../testing/send.js';
import { startUpstream, type Upstream } from '../testing/upstream.js';

const peer = 'https://cell-1.example';
const accepted = 'org_accepted';

let portal: PortalWorld;
let behind: Upstream;
/** Of the only organization here: the settings name the first for projects of `accepted`, and not the second. */
let named: string;
let unnamed: string;
const accepts: MoveAcceptance[] = [];

beforeAll(async () => {
  behind = await startUpstream('service', {});
  const { url } = behind;
  const urls = { INGRESS_URL: url, GATEWAY_URL: url, VAULT_URL: url, ROUTER_URL: url };
  portal = await startPortal({ ...urls, ENGINE_URL: url, MCP_REGISTRY_URL: url }, 0, { MOVE_ACCEPTS: accepts });
  named = await portal.key(['admin']);
  const [key] = await portal.query<{ id: string }>('SELECT id FROM portal.api_key ORDER BY id DESC LIMIT 1');
  accepts.push({ organizationId: accepted, keyId: key?.id ?? '' });
  unnamed = await portal.key(['admin']);
});
afterAll(async () => {
  await portal.close();
  await behind.close();
});

const call = (key: string, method: string, path: string, body?: object): Promise<Answer> =>
  send(`${portal.url}/api/v1/${path}`, key, { ...(body ? post(body) : {}), method });
const refusal = ({ status, body }: Answer) => [status, body.code];

async function projectOf(organizationId: string, isClosed = false): Promise<string> {
  const id = newId('prj');
  await portal.query(`INSERT INTO portal.organization (id, name) VALUES ($1, 'Made') ON CONFLICT DO NOTHING`, [
    organizationId,
  ]);
  await portal.query(
    `INSERT INTO portal.project (id, organization_id, name, closed_at) VALUES ($1, $2, 'Made', $3::timestamptz)`,
    [id, organizationId, isClosed ? new Date() : null],
  );
  return id;
}

async function hold(id: string, organizationId: string, state: string): Promise<string> {
  await portal.query(
    `INSERT INTO journal.project_hold (project_id, organization_id, state, peer, held_by) VALUES ($1, $2, $3, $4, 'test')`,
    [id, organizationId, state, peer],
  );
  return id;
}

const holds = (id: string) => portal.query('SELECT state, peer FROM journal.project_hold WHERE project_id = $1', [id]);
const receive = (key: string, id: string, more: object = {}): Promise<Answer> =>
  call(key, 'POST', 'moves/arrivals', {
    project_id: id,
    organization_id: accepted,
    organization_name: 'Accepted',
    from: peer,
    hand_on_key: {},
    ...more,
  });
const rows = { service: 'portal', table: 'portal.project', columns: ['id'], rows: [] };
const page = { service: 'portal', table: 'portal.project', after: null, recipient: {} };

describe('a project that is to arrive', () => {
  it('is refused when its id is here already, in whatever organization, and nothing is held', async () => {
    for (const organizationId of [accepted, portal.tenant.organizationId, 'org_third']) {
      const id = await projectOf(organizationId);
      expect(refusal(await receive(named, id))).toEqual([409, 'project_exists']);
      expect(await holds(id)).toEqual([]);
    }
  });

  it('is refused when its id is held for another organization', async () => {
    const id = await hold(newId('prj'), 'org_third', 'arriving');
    expect(refusal(await receive(named, id))).toEqual([409, 'project_exists']);
  });

  it('may be brought with the key that the settings name for its organization, and no other', async () => {
    const id = newId('prj');
    expect(refusal(await receive(unnamed, id))).toEqual([403, 'organization_not_accepted']);
    expect(refusal(await receive(named, id, { organization_id: 'org_third' }))).toEqual([
      403,
      'organization_not_accepted',
    ]);
    expect(await holds(id)).toEqual([]);
  });

  it('is found, filled, opened and deleted with no other key', async () => {
    const id = await hold(newId('prj'), accepted, 'arriving');
    for (const [method, path, body] of [
      ['GET', `moves/${id}`, undefined],
      ['POST', `moves/${id}/rows`, rows],
      ['POST', `moves/${id}/switch`, {}],
      ['DELETE', `moves/${id}`, undefined],
    ] as const) {
      expect(refusal(await call(unnamed, method, path, body))).toEqual([404, 'project_not_found']);
    }
    expect((await call(named, 'POST', `moves/${id}/rows`, rows)).status).toBe(200);
  });

  it('of the organization of a key that the settings do not name is not opened with it: 403', async () => {
    const id = await hold(newId('prj'), portal.tenant.organizationId, 'arriving');
    const answer = await call(unnamed, 'POST', `moves/${id}/switch`, {});
    expect(refusal(answer)).toEqual([403, 'organization_not_accepted']);
  });

  it('from another installation than the one it is held for is refused', async () => {
    const id = await hold(newId('prj'), accepted, 'arriving');
    expect(refusal(await receive(named, id, { from: 'https://cell-3.example' }))).toEqual([409, 'held_for_other']);
  });

  it('is refused where it has left', async () => {
    const id = await hold(await projectOf(accepted, true), accepted, 'left');
    expect(refusal(await receive(named, id))).toEqual([409, 'has_left']);
  });
});

describe('a project that leaves', () => {
  it('is read, switched and aborted by its own organization only, whoever may bring projects of it', async () => {
    const id = await hold(await projectOf(accepted, true), accepted, 'leaving');
    for (const [method, path, body] of [
      ['GET', `moves/${id}`, undefined],
      ['POST', `moves/${id}/pages`, page],
      ['POST', `moves/${id}/switch`, {}],
      ['DELETE', `moves/${id}`, undefined],
    ] as const) {
      expect(refusal(await call(named, method, path, body))).toEqual([404, 'project_not_found']);
    }
    expect(await holds(id)).toEqual([{ state: 'leaving', peer }]);
  });

  it('leaves for one installation at a time', async () => {
    const id = await hold(await projectOf(portal.tenant.organizationId, true), portal.tenant.organizationId, 'leaving');
    const begun = await call(unnamed, 'POST', 'moves', { project_id: id, to: 'https://cell-3.example' });
    expect(refusal(begun)).toEqual([409, 'held_for_other']);
    expect(await holds(id)).toEqual([{ state: 'leaving', peer }]);
  });

  it.each(['leaving', 'left', 'arriving'])('is not reopened while it is %s', async (state) => {
    const id = await hold(await projectOf(portal.tenant.organizationId, true), portal.tenant.organizationId, state);
    const answer = await call(unnamed, 'POST', `projects/${id}/reopen`);
    expect(refusal(answer)).toEqual([409, 'project_moves']);
    expect(answer.body.detail).toContain(peer);
    const [project] = await portal.query('SELECT closed_at FROM portal.project WHERE id = $1', [id]);
    expect(project).toEqual({ closed_at: expect.any(Date) });
  });
});

describe('webhooks that another installation hands on', () => {
  const handOn = async (id: string, token: string): Promise<Answer> =>
    send(`${portal.url}/api/v1/moves/${id}/receipts`, token, post({ receipts: [] }));
  const signed = async (id: string, key: CryptoKey, audience = 'gatehouse:handed-on') =>
    new SignJWT()
      .setProtectedHeader({ alg: 'EdDSA' })
      .setAudience(audience)
      .setSubject(id)
      .setIssuedAt()
      .setExpirationTime('60s')
      .sign(key);
  const cameWith = async (key: CryptoKey): Promise<string> => {
    const id = newId('prj');
    await portal.query(
      'INSERT INTO journal.project_peer (project_id, organization_id, peer, hand_on_key) VALUES ($1, $2, $3, $4::jsonb)',
      [id, accepted, peer, JSON.stringify(await exportJWK(key))],
    );
    return id;
  };

  it('are taken from the peer of the project, and from nobody else', async () => {
    const [own, other] = [await generateKeyPair('EdDSA'), await generateKeyPair('EdDSA')];
    const id = await cameWith(own.publicKey);
    expect((await handOn(id, await signed(id, own.privateKey))).status).toBe(204);
    for (const token of [
      await signed(id, other.privateKey),
      await signed(newId('prj'), own.privateKey),
      await signed(id, own.privateKey, 'gatehouse:portal'),
      named,
    ]) {
      expect(refusal(await handOn(id, token))).toEqual([401, 'not_authenticated']);
    }
  });

  it('are taken no more once the peer is revoked', async () => {
    const own = await generateKeyPair('EdDSA');
    const id = await cameWith(own.publicKey);
    expect(refusal(await call(unnamed, 'DELETE', `moves/${id}/peer`))).toEqual([404, 'project_not_found']);
    expect((await call(named, 'DELETE', `moves/${id}/peer`)).status).toBe(204);
    expect(refusal(await handOn(id, await signed(id, own.privateKey)))).toEqual([404, 'project_not_found']);
  });
});
