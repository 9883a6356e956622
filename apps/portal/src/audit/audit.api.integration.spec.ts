import type { AuditRecord } from '#libs/audit';
import { newId } from '#libs/contracts';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DataSource } from 'typeorm';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';
import { post, send } from '../testing/send.js';
import { startUpstream, type Upstream } from '../testing/upstream.js';

let portal: PortalWorld;
let upstream: Upstream;
let service: Server;
/** The entries that every other service answers with; null: they answer 500. */
let elsewhere: AuditRecord[] | null = [];
/** The requests that the other services got. */
const askedElsewhere: string[] = [];

beforeAll(async () => {
  upstream = await startUpstream('upstream', {});
  service = createServer(({ url: asked = '' }, response) => {
    askedElsewhere.push(asked);
    response.setHeader('content-type', 'application/json');
    response.writeHead(elsewhere === null ? 500 : 200).end(JSON.stringify({ data: elsewhere ?? [] }));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const empty = createServer((_request, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: [] })),
  );
  await new Promise<void>((resolve) => empty.listen(0, '127.0.0.1', resolve));
  empty.unref();
  const none = `http://127.0.0.1:${(empty.address() as AddressInfo).port}`;
  portal = await startPortal(
    {
      INGRESS_URL: upstream.url,
      VAULT_URL: upstream.url,
      ROUTER_URL: none,
      GATEWAY_URL: none,
      MCP_REGISTRY_URL: none,
      ENGINE_URL: url,
    },
    0,
  );
});
beforeEach(() => {
  elsewhere = [];
});
afterAll(async () => {
  await portal.close();
  await upstream.close();
  service.closeAllConnections();
  await new Promise((resolve) => service.close(resolve));
});

const call = (path: string, key: string, init?: RequestInit) => send(`${portal.url}/api/v1${path}`, key, init);
const ids = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(({ id }) => id);

describe('the audit log', () => {
  it('shows who created and revoked which key, never the key itself, and cannot be changed', async () => {
    const admin = await portal.key(['admin']);
    const made = (await call('/api-keys', admin, post({ name: 'ci', scopes: ['keys:write'] }))).body;
    const child = (await call('/api-keys', made.key, post({ name: 'child', scopes: ['keys:read'] }))).body;
    await call(`/api-keys/${made.id}`, admin, { method: 'DELETE' });
    const answer = await call('/audit?limit=200', admin);
    const about = (id: string) =>
      answer.body.data.filter(({ subject }: { subject: string }) => subject === id).reverse();
    expect(about(made.id)).toMatchObject([
      { action: 'api_key.created', before: null, after: { name: 'ci', scopes: ['keys:write'], last4: made.last4 } },
      { action: 'api_key.revoked', before: { revoked: false }, after: { revoked: true } },
    ]);
    expect(about(child.id)).toMatchObject([
      { action: 'api_key.created', actor: `key:${made.id}` },
      { action: 'api_key.revoked', after: { with: made.id } },
    ]);
    expect(about(made.id)[0].request_id).toMatch(/^req_/);
    expect(answer.text).not.toContain(made.key);
    const db = portal.app.get(DataSource);
    await expect(db.query('DELETE FROM portal.audit')).rejects.toThrow(/new rows alone/);
  });

  it('joins the logs of the services in pages, from either end', async () => {
    const admin = await portal.key(['admin']);
    const entry = (): AuditRecord => ({
      id: newId('aud'),
      at: new Date().toISOString(),
      actor: 'key:x',
      action: 'agent.changed',
      subject: 'agt_1',
      before: {},
      after: {},
      request_id: null,
    });
    elsewhere = [entry()];
    await call('/api-keys', admin, post({ name: 'later', scopes: ['keys:read'] }));
    const [newest, older] = ids(await call('/audit?limit=2', admin));
    expect(older).toBe(elsewhere[0]?.id);
    const page = await call('/audit?limit=1', admin);
    expect(ids(page)).toEqual([newest]);
    expect(ids(await call(`/audit?limit=1&cursor=${page.body.next_cursor}`, admin))).toEqual([older]);
    const whole = ids(await call('/audit?limit=200', admin));
    expect(ids(await call('/audit?limit=200&order=asc', admin))).toEqual(whole.toReversed());
  });

  it('can be filtered by action, actor and object, in every service', async () => {
    const admin = await portal.key(['admin']);
    const made = (await call('/api-keys', admin, post({ name: 'sought', scopes: ['keys:read'] }))).body;
    await call(`/api-keys/${made.id}`, admin, { method: 'DELETE' });
    expect((await call(`/audit?subject=${made.id}`, admin)).body.data).toHaveLength(2);
    const revoked = await call(`/audit?subject=${made.id}&action=api_key.revoked`, admin);
    expect(revoked.body.data).toMatchObject([{ action: 'api_key.revoked', subject: made.id }]);
    expect(ids(await call(`/audit?subject=${made.id}&actor=user:nobody`, admin))).toEqual([]);
    expect(askedElsewhere).toContain(`/internal/audit?limit=50&order=desc&actor=user%3Anobody&subject=${made.id}`);
    expect((await call('/audit?action=nothing', admin)).status).toBe(422);
  });

  it('is an error while a service does not answer, and needs its scope', async () => {
    elsewhere = null;
    expect((await call('/audit', await portal.key(['audit:read']))).status).toBeGreaterThanOrEqual(500);
    expect((await call('/audit', await portal.key(['keys:read']))).status).toBe(403);
  });
});

describe('the scope approvals:manage', () => {
  it('can be granted only by a holder, which an admin is not automatically', async () => {
    const wish = post({ name: 'manager', scopes: ['approvals:manage'] });
    expect((await call('/api-keys', await portal.key(['admin']), wish)).body.code).toBe('scope_missing');
    expect((await call('/api-keys', await portal.key(['keys:write', 'approvals:manage']), wish)).status).toBe(201);
  });
});
