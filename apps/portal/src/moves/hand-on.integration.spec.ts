import { newId, newTimedId } from '#libs/contracts';
import { until } from '#libs/testing';
import { decodeJwt } from 'jose';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';

interface Webhook {
  id: string;
  received_at: string;
}

interface Dead {
  id: string;
  to: string;
  reason: string;
}

/** What an installation answers to a batch: a status, or nothing. */
type Answer = (ids: string[]) => number | null;

interface Peer {
  url: string;
  answer: Answer;
  /** The ids of each batch that it has taken. */
  taken: string[][];
  /** How many webhooks each request had. */
  asked: number[];
}

const servers: Server[] = [];
/** By project: what has not ended at the ingress, oldest first. */
const waiting = new Map<string, Webhook[]>();
const dead: Dead[] = [];
let portal: PortalWorld;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function serve(answer: (request: IncomingMessage, body: string) => [number, object] | null): Promise<string> {
  const server = createServer(async (request, response) => {
    const answered = answer(request, await bodyOf(request));
    if (!answered) return;
    const [status, body] = answered;
    const headers = { 'content-type': 'application/json' };
    response.writeHead(status, headers).end(status === 204 ? undefined : JSON.stringify(body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The ingress and the vault, as far as handing on needs them. */
const services = (): Promise<string> =>
  serve((request, text) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://services');
    const project = String(decodeJwt((request.headers.authorization ?? '').replace('Bearer ', ''))['prj']);
    const left = waiting.get(project) ?? [];
    const end = (ids: string[]) =>
      waiting.set(
        project,
        left.filter(({ id }) => !ids.includes(id)),
      );
    if (pathname === '/internal/hand-on-key/tokens') return [200, { token: 'proof' }];
    if (pathname === '/internal/handed-on/receipts') {
      return [200, { receipts: left.slice(0, Number(searchParams.get('limit'))) }];
    }
    if (pathname === '/internal/handed-on/ends') end((JSON.parse(text) as { ids: string[] }).ids);
    if (pathname === '/internal/handed-on/dead-letters') {
      const one = JSON.parse(text) as Dead;
      dead.push(one);
      end([one.id]);
    }
    return pathname.startsWith('/internal/handed-on/') ? [204, {}] : [200, {}];
  });

async function startPeer(answer: Answer = () => 204): Promise<Peer> {
  const peer: Peer = { url: '', answer, taken: [], asked: [] };
  peer.url = await serve((_request, text) => {
    const ids = (JSON.parse(text) as { receipts: Webhook[] }).receipts.map(({ id }) => id);
    peer.asked.push(ids.length);
    const status = peer.answer(ids);
    if (status === 204) peer.taken.push(ids);
    return status === null ? null : [status, { code: 'receipt_wrong', detail: 'It is wrong.' }];
  });
  return peer;
}

/**
 * A project that has left for the peer, with so many webhooks that wait.
 * @param prepare what is done with their ids before they are handed on
 */
async function leftFor(
  peer: Peer,
  count: number,
  prepare: (ids: string[]) => void = () => undefined,
): Promise<{ project: string; ids: string[] }> {
  const project = newId('prj');
  const webhooks = Array.from({ length: count }, () => {
    const { id, timeMs } = newTimedId('evt');
    return { id, received_at: new Date(timeMs).toISOString() };
  });
  const ids = webhooks.map(({ id }) => id);
  prepare(ids);
  waiting.set(project, webhooks);
  await portal.query(
    `INSERT INTO journal.project_hold (project_id, organization_id, state, peer, held_by) VALUES ($1, 'org_1', 'left', $2, 'test')`,
    [project, peer.url],
  );
  return { project, ids };
}

const allGone = (project: string) => until('none waits', () => waiting.get(project)?.length === 0);

beforeAll(async () => {
  const url = await services();
  const urls = { INGRESS_URL: url, GATEWAY_URL: url, VAULT_URL: url, ROUTER_URL: url };
  const change = { GATEHOUSE_EGRESS_ALLOW: ['127.0.0.1'] };
  portal = await startPortal({ ...urls, ENGINE_URL: url, MCP_REGISTRY_URL: url }, 0, change);
});
afterEach(() => portal.query('DELETE FROM journal.project_hold'));
afterAll(async () => {
  // First: what hangs would hold up the portal's end.
  for (const server of servers.slice(1)) server.closeAllConnections();
  await portal?.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

describe('webhooks of projects that have left', () => {
  it('are handed on in order, each once', async () => {
    const peer = await startPeer();
    const { project, ids } = await leftFor(peer, 450);
    await allGone(project);
    expect(peer.taken.flat()).toEqual(ids);
    expect(peer.asked).toEqual([200, 200, 50]);
  });

  it('go to one installation while another one does not answer', async () => {
    const [hangs, works] = [await startPeer(() => null), await startPeer()];
    await leftFor(hangs, 1);
    await until('one hangs', () => hangs.asked.length === 1);
    const { project } = await leftFor(works, 1);
    await allGone(project);
    expect(hangs.asked).toEqual([1]);
  });

  it('go on although their installation fails with those of another project', async () => {
    const peer = await startPeer();
    let failing = '';
    peer.answer = (ids) => (ids.includes(failing) ? 500 : 204);
    const projects = [await leftFor(peer, 1, ([id = '']) => (failing = id)), await leftFor(peer, 1)];
    await allGone(projects[1]?.project ?? '');
    expect(waiting.get(projects[0]?.project ?? '')).toHaveLength(1);
  });

  it('are sent in smaller batches to an installation that fails', async () => {
    const peer = await startPeer((ids) => (ids.length > 60 ? 503 : 204));
    const { project, ids } = await leftFor(peer, 100);
    await allGone(project);
    expect(peer.taken.flat()).toEqual(ids);
    expect(peer.asked.slice(0, 2)).toEqual([100, 50]);
  });

  it('of which one is never taken go on without it, and it ends as a dead letter', async () => {
    const peer = await startPeer();
    let wrong = '';
    peer.answer = (ids) => (ids.includes(wrong) ? 422 : 204);
    const { project, ids } = await leftFor(peer, 6, (all) => (wrong = all[2] ?? ''));
    await allGone(project);
    expect(peer.taken.flat()).toEqual(ids.filter((id) => id !== wrong));
    expect(dead).toEqual([
      { id: wrong, to: peer.url, reason: 'receipt_wrong', error: expect.stringContaining('It is wrong.') },
    ]);
  });

  it('are handed on by one process at a time, and by another one when its time is over', async () => {
    const peer = await startPeer();
    const { project: first } = await leftFor(peer, 0);
    const { project: second } = await leftFor(peer, 1);
    await portal.query(
      `UPDATE journal.project_hold SET hand_on_by = 'another', hand_on_until = now() + interval '1 hour' WHERE project_id = $1`,
      [first],
    );
    waiting.set(first, [{ id: newId('evt'), received_at: new Date().toISOString() }]);
    await allGone(second);
    waiting.set(second, [{ id: newId('evt'), received_at: new Date().toISOString() }]);
    await allGone(second);
    expect(waiting.get(first)).toHaveLength(1);
    await portal.query(`UPDATE journal.project_hold SET hand_on_until = now() WHERE project_id = $1`, [first]);
    await allGone(first);
  });
});
