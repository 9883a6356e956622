import { newId } from '#libs/contracts';
import { until } from '#libs/testing';
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

const noRows = { shape: '', tables: [], open: [], waiting: [], stays: [] };
/** Where it is asked to delete. */
const removal = '/internal/project-rows?within_ms=10000';
const noneWaits = { waiting: 0, oldest_at: null, last_received_at: null };
/** Of the services behind. */
const answers: Record<string, object> = {
  '/internal/project-rows': noRows,
  [removal]: { isDone: true },
  '/internal/hand-on-key': { public_key: {} },
  '/internal/handed-on': noneWaits,
  '/internal/attention': { data: [] },
};

beforeAll(async () => {
  behind = await startUpstream('service', {}, answers);
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

const ownHeld = async (state: string): Promise<string> => {
  const { organizationId } = portal.tenant;
  return hold(await projectOf(organizationId, true), organizationId, state);
};

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

  it('whose move gave no key for handing on is not opened before it has one', async () => {
    const id = await hold(newId('prj'), accepted, 'arriving');
    expect(refusal(await call(named, 'POST', `moves/${id}/switch`, {}))).toEqual([409, 'no_hand_on_key']);
    expect((await receive(named, id, { hand_on_key: { kty: 'OKP' } })).status).toBe(200);
    const [held] = await portal.query('SELECT hand_on_key FROM journal.project_hold WHERE project_id = $1', [id]);
    expect(held).toEqual({ hand_on_key: { kty: 'OKP' } });
  });

  it('from another installation than the one it is held for is refused', async () => {
    const id = await hold(newId('prj'), accepted, 'arriving');
    expect(refusal(await receive(named, id, { from: 'https://cell-3.example' }))).toEqual([409, 'held_for_other']);
  });

  it('is refused where it has left, as long as its webhooks are handed on from there', async () => {
    for (const state of ['left', 'ending']) {
      const id = await hold(await projectOf(accepted, true), accepted, state);
      const answer = await receive(named, id);
      expect(refusal(answer)).toEqual([409, 'has_left']);
      expect(answer.body.detail).toContain('gatehouse move end');
      expect(await holds(id)).toEqual([{ state, peer }]);
      expect(await portal.query('SELECT FROM portal.project WHERE id = $1', [id])).toHaveLength(1);
    }
  });

  it('comes back once that has ended: what it had left is deleted first, in as many requests as it takes', async () => {
    const id = await hold(await projectOf(accepted, true), accepted, 'left');
    await portal.query('UPDATE journal.project_hold SET ended_at = now() WHERE project_id = $1', [id]);
    const from = 'https://cell-4.example';
    expect(refusal(await receive(unnamed, id, { from }))).toEqual([403, 'organization_not_accepted']);
    expect(refusal(await receive(named, id, { from, organization_id: portal.tenant.organizationId }))[0]).toBe(403);
    answers[removal] = { isDone: false };
    expect(refusal(await receive(named, id, { from }))).toEqual([503, 'still_deleting']);
    expect(await holds(id)).toEqual([{ state: 'left', peer }]);
    expect(await portal.query('SELECT FROM portal.project WHERE id = $1', [id])).toHaveLength(1);
    answers[removal] = { isDone: true };
    expect(await receive(named, id, { from })).toMatchObject({ status: 200, body: { state: 'arriving', peer: from } });
    expect(await portal.query('SELECT FROM portal.project WHERE id = $1', [id])).toEqual([]);
  });
});

describe('whether a project may arrive', () => {
  const check = (id: string, from = peer): Promise<Answer> =>
    call(named, 'POST', 'moves/arrivals/check', { project_id: id, organization_id: accepted, from });

  it('is said before anything is held, as the arrival itself is refused', async () => {
    const known = await projectOf(accepted);
    const left = await hold(await projectOf(accepted, true), accepted, 'left');
    const arriving = await hold(newId('prj'), accepted, 'arriving');
    expect(refusal(await check(known))).toEqual([409, 'project_exists']);
    expect(refusal(await check(left))).toEqual([409, 'has_left']);
    expect(refusal(await check(arriving, 'https://cell-3.example'))).toEqual([409, 'held_for_other']);
    const unknown = newId('prj');
    expect(await check(unknown)).toMatchObject({ status: 200, body: { comes_back: false } });
    expect(await check(arriving)).toMatchObject({ status: 200, body: { comes_back: false } });
    await portal.query('UPDATE journal.project_hold SET ended_at = now() WHERE project_id = $1', [left]);
    expect(await check(left)).toMatchObject({ status: 200, body: { comes_back: true } });
    expect([...(await holds(known)), ...(await holds(unknown))]).toEqual([]);
    expect(await holds(left)).toEqual([{ state: 'left', peer }]);
  });
});

describe('an abort where a project arrives', () => {
  it('that still deletes lets nothing more arrive, and nobody open it', async () => {
    const id = await hold(newId('prj'), accepted, 'arriving');
    answers[removal] = { isDone: false };
    expect(refusal(await call(named, 'DELETE', `moves/${id}`))).toEqual([503, 'still_deleting']);
    answers[removal] = { isDone: true };
    const some = { ...rows, rows: [[id]] };
    expect(refusal(await call(named, 'POST', `moves/${id}/rows`, some))).toEqual([409, 'not_held']);
    expect(refusal(await call(named, 'POST', `moves/${id}/switch`, {}))).toEqual([409, 'being_aborted']);
    expect(refusal(await receive(named, id))).toEqual([409, 'being_aborted']);
    expect((await call(named, 'DELETE', `moves/${id}`)).status).toBe(204);
    expect(await holds(id)).toEqual([]);
  });

  it('while what it had left is being deleted for its return keeps it from coming back', async () => {
    const id = await hold(await projectOf(accepted, true), accepted, 'left');
    await portal.query('UPDATE journal.project_hold SET ended_at = now() WHERE project_id = $1', [id]);
    const client = await portal.pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM portal.project WHERE id = $1 FOR UPDATE', [id]);
    const arrival = receive(named, id);
    await until('its row is being deleted', async () => {
      const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return (await portal.query(waits)).length > 0;
    });
    const aborted = await call(named, 'DELETE', `moves/${id}`);
    await client.query('COMMIT');
    client.release();
    expect(aborted.status).toBe(204);
    // What asks again asks first whether it is still leaving.
    expect(refusal(await arrival)).toEqual([503, 'still_deleting']);
    expect(await holds(id)).toEqual([{ state: 'left', peer }]);
  });
});

describe('the address of the other installation', () => {
  it.each([
    ['', 'give its http or https URL with the host'],
    ['cell-2.example', 'give its http or https URL with the host'],
    ['ftp://cell-2.example', 'give its http or https URL with the host'],
    ['https:cell-2.example', 'give its http or https URL with the host'],
    ['https://', 'give its http or https URL with the host'],
    ['https://:@cell-2.example', 'leave them out'],
    ['https://admin:secret@cell-2.example', 'leave them out'],
    ['https://cell-2.example?token=1', 'end it before the question mark'],
    ['https://cell-2.example/', 'ends with a slash'],
  ])('%j is refused on both sides, with what to give, and nothing is held', async (address, words) => {
    const id = await projectOf(portal.tenant.organizationId);
    await projectOf(portal.tenant.organizationId);
    const begun = await call(unnamed, 'POST', 'moves', { project_id: id, to: address });
    const received = await receive(named, newId('prj'), { from: address });
    for (const [answer, field] of [
      [begun, 'to'],
      [received, 'from'],
    ] as const) {
      expect(refusal(answer)).toEqual([422, 'invalid_fields']);
      expect(answer.body.errors).toEqual([{ field, message: expect.stringContaining(words) }]);
      expect(JSON.stringify(answer.body)).not.toContain('secret');
    }
    expect(await holds(id)).toEqual([]);
  });

  it('may have a port and a path', async () => {
    const id = await projectOf(portal.tenant.organizationId);
    await projectOf(portal.tenant.organizationId);
    const begun = await call(unnamed, 'POST', 'moves', { project_id: id, to: 'http://10.0.0.7:8080/gatehouse' });
    expect(begun).toMatchObject({ status: 200, body: { state: 'leaving', peer: 'http://10.0.0.7:8080/gatehouse' } });
  });
});

describe('while processes of two builds run', () => {
  const older = `INSERT INTO journal.process (id, service, build, seen_at) VALUES ('older', 'router', 'older-build', `;
  afterEach(() => portal.query(`DELETE FROM journal.process WHERE id = 'older'`));

  it('no move begins, on either side: 409 that names them, and nothing is held', async () => {
    const [id, coming] = [await projectOf(portal.tenant.organizationId), newId('prj')];
    await portal.query(`${older} now())`);
    const begun = await call(unnamed, 'POST', 'moves', { project_id: id, to: peer });
    for (const answer of [begun, await receive(named, coming)]) {
      expect(refusal(answer)).toEqual([409, 'rollout_on']);
      expect(answer.body.detail).toContain('older-build (router)');
      expect(answer.body.detail).toContain('source (portal)');
    }
    expect([...(await holds(id)), ...(await holds(coming))]).toEqual([]);
    const two = [{ build: 'source' }, { build: 'older-build', services: ['router'] }];
    expect((await call(unnamed, 'GET', `moves/${id}`)).body.builds).toMatchObject(two);
    expect((await call(unnamed, 'GET', 'moves/key')).body.builds).toMatchObject(two);
  });

  it('one that has begun goes on only once that is over, but one that arrives can be opened', async () => {
    const id = await ownHeld('leaving');
    const coming = await hold(newId('prj'), accepted, 'arriving');
    await portal.query(`${older} now())`);
    const begin = () => call(unnamed, 'POST', 'moves', { project_id: id, to: peer });
    expect(refusal(await begin())).toEqual([409, 'rollout_on']);
    expect((await receive(named, coming)).status).toBe(200);
    await portal.query(`UPDATE journal.process SET seen_at = now() - interval '21 seconds' WHERE id = 'older'`);
    expect((await begin()).status).toBe(200);
  });

  it('one that has been copied does not leave: 409', async () => {
    const id = await ownHeld('leaving');
    await portal.query(`${older} now())`);
    expect(refusal(await call(unnamed, 'POST', `moves/${id}/switch`, {}))).toEqual([409, 'rollout_on']);
    await portal.query(`DELETE FROM journal.process WHERE id = 'older'`);
    expect((await call(unnamed, 'POST', `moves/${id}/switch`, {})).body).toMatchObject({ state: 'left' });
  });
});

describe('a project that leaves', () => {
  it('is read, switched and aborted by its own organization only, whoever may bring projects of it', async () => {
    const id = await hold(await projectOf(accepted, true), accepted, 'leaving');
    for (const [method, path, body] of [
      ['GET', `moves/${id}`, undefined],
      ['POST', `moves/${id}/pages`, page],
      ['POST', `moves/${id}/switch`, {}],
      ['POST', `moves/${id}/abort`, {}],
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

  it('is opened here again only after it was given up, and then it cannot be switched any more', async () => {
    const id = await ownHeld('leaving');
    expect(refusal(await call(unnamed, 'DELETE', `moves/${id}`))).toEqual([409, 'not_in_this_state']);
    expect((await call(unnamed, 'POST', `moves/${id}/abort`)).body).toMatchObject({ state: 'aborting' });
    for (const [method, path, body] of [
      ['POST', `moves/${id}/switch`, {}],
      ['POST', `moves/${id}/pages`, page],
      ['POST', 'moves', { project_id: id, to: peer }],
    ] as const) {
      expect(refusal(await call(unnamed, method, path, body))).toEqual([409, 'not_in_this_state']);
    }
    expect((await call(unnamed, 'DELETE', `moves/${id}`)).status).toBe(204);
    expect(await holds(id)).toEqual([]);
  });

  it.each(['leaving', 'aborting', 'left', 'ending', 'arriving'])('is not reopened while it is %s', async (state) => {
    const id = await hold(await projectOf(portal.tenant.organizationId, true), portal.tenant.organizationId, state);
    const answer = await call(unnamed, 'POST', `projects/${id}/reopen`);
    expect(refusal(answer)).toEqual([409, 'project_moves']);
    expect(answer.body.detail).toContain(peer);
    const [project] = await portal.query('SELECT closed_at FROM portal.project WHERE id = $1', [id]);
    expect(project).toEqual({ closed_at: expect.any(Date) });
  });
});

describe('the handing on of webhooks', () => {
  const end = (id: string) => call(unnamed, 'POST', `moves/${id}/end`);
  const heardOf = (id: string) =>
    portal.query(`UPDATE journal.project_hold SET changed_at = now() - interval '11 seconds' WHERE project_id = $1`, [
      id,
    ]);
  const stillTaken = { state: 'ending', handing_on: { refused_at: expect.any(String), ended_at: null } };

  afterEach(() => {
    answers['/internal/handed-on'] = noneWaits;
    answers['/internal/attention'] = { data: [] };
  });

  it('ends once every process has heard of it, and what was taken before is handed on, that on disks too', async () => {
    const id = await ownHeld('left');
    expect((await end(id)).body).toMatchObject(stillTaken);
    expect((await end(id)).body).toMatchObject(stillTaken);
    await heardOf(id);
    answers['/internal/handed-on'] = { ...noneWaits, waiting: 1 };
    expect((await end(id)).body).toMatchObject(stillTaken);
    answers['/internal/handed-on'] = noneWaits;
    answers['/internal/attention'] = { data: [{ code: 'webhooks_spooled' }] };
    expect((await end(id)).body).toMatchObject(stillTaken);
    answers['/internal/attention'] = { data: [] };
    const ended = { state: 'left', handing_on: { refused_at: expect.any(String), ended_at: expect.any(String) } };
    expect((await end(id)).body).toMatchObject(ended);
    expect((await end(id)).body).toMatchObject(ended);
  });

  it('does not begin to end while the other installation is away: 409, and they are taken', async () => {
    const id = await ownHeld('left');
    const oldest_at = new Date(Date.now() - 61_000).toISOString();
    answers['/internal/handed-on'] = { ...noneWaits, waiting: 1, oldest_at };
    expect(refusal(await end(id))).toEqual([409, 'still_waiting']);
    expect(await holds(id)).toEqual([{ state: 'left', peer }]);
  });

  it('does not end where another installation hands on to here: 409, with its address', async () => {
    const id = await ownHeld('left');
    await portal.query(
      `INSERT INTO journal.project_peer (project_id, organization_id, peer, hand_on_key) VALUES ($1, $2, 'https://cell-0.example', '{}')`,
      [id, portal.tenant.organizationId],
    );
    const answer = await end(id);
    expect(refusal(answer)).toEqual([409, 'peer_hands_on']);
    expect(answer.body.detail).toContain('https://cell-0.example');
    expect((await call(unnamed, 'DELETE', `moves/${id}/peer`)).status).toBe(204);
    expect((await end(id)).status).toBe(200);
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
      const answer = await handOn(id, token);
      expect(refusal(answer)).toEqual([401, 'not_authenticated']);
      const unknown = newId('prj');
      const elsewhere = await handOn(unknown, token);
      expect([elsewhere.status, elsewhere.body.detail?.replace(unknown, id)]).toEqual([401, answer.body.detail]);
      expect(answer.body.detail).not.toContain(peer);
    }
  });

  it('are refused where nothing is handed on to where the project has moved on: 410', async () => {
    const own = await generateKeyPair('EdDSA');
    const id = await hold(await cameWith(own.publicKey), accepted, 'ending');
    expect(refusal(await handOn(id, await signed(id, own.privateKey)))).toEqual([410, 'project_left']);
  });

  it('are taken no more once the peer is revoked', async () => {
    const own = await generateKeyPair('EdDSA');
    const id = await cameWith(own.publicKey);
    expect(refusal(await call(unnamed, 'DELETE', `moves/${id}/peer`))).toEqual([404, 'project_not_found']);
    expect((await call(named, 'DELETE', `moves/${id}/peer`)).status).toBe(204);
    expect(refusal(await handOn(id, await signed(id, own.privateKey)))).toEqual([401, 'not_authenticated']);
  });
});
