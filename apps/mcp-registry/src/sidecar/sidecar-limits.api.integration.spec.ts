import { until } from '#libs/testing';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type RegistryWorld, startRegistry } from '../testing/registry-world.js';
import { clientOf, initialize, postMessage, sidecarToken, SidecarsWorld } from '../testing/sidecar-world.js';

const sidecars = new SidecarsWorld();
let registry: RegistryWorld;
let client: ReturnType<typeof clientOf>;

beforeAll(async () => {
  registry = await startRegistry({ MCP_CONNECT_TIMEOUT_MS: 30_000, MCP_CALL_TIMEOUT_MS: 30_000 });
  client = clientOf(registry);
});

afterAll(async () => {
  await registry.close();
  await sidecars.stop();
  sidecars.clean();
});

const runs = (pid: number): boolean => existsSync(`/proc/${pid}`);

const post = (at: string, body: string, headers: Record<string, string> = {}) =>
  postMessage(`${at}/child/mcp`, body, headers);

describe('limits', () => {
  it('refuse a message over the size limit, in both directions', async () => {
    const { origin } = await sidecars.start();
    const params = { padding: 'x'.repeat(70_000) };
    expect((await post(origin, JSON.stringify({ ...JSON.parse(initialize), params }))).status).toBe(413);
    const { body } = await client.register(`${origin}/child/mcp`, 'shouts');
    expect(await client.callTool(body.id, 'shout', { bytes: 1_000 })).toMatchObject({ ok: true });
    expect(await client.callTool(body.id, 'shout', { bytes: 100_000 })).toMatchObject({ ok: false });
  });

  it('refuse one session too many, until the process of another is gone', async () => {
    const { origin } = await sidecars.start({ MCP_SIDECAR_SESSIONS: 1 });
    const first = await post(origin, initialize);
    expect(first.status).toBe(200);
    const refused = await post(origin, initialize);
    expect(refused.status).toBe(503);
    expect(await refused.text()).toContain('MCP_SIDECAR_SESSIONS');
    const id = first.headers.get('mcp-session-id') ?? '';
    const headers = { authorization: `Bearer ${sidecarToken}`, 'mcp-session-id': id };
    expect((await fetch(`${origin}/child/mcp`, { method: 'DELETE', headers })).status).toBe(200);
    await until('there is room again', async () => (await post(origin, initialize)).status === 200);
  });

  it('refuse one request too many in a session, until one is answered or cancelled', async () => {
    const { origin } = await sidecars.start({ MCP_SIDECAR_PENDING: 1 });
    const answer = await post(origin, initialize);
    const headers = { 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' };
    await answer.text();
    const answerTo = (message: object) => post(origin, JSON.stringify({ jsonrpc: '2.0', ...message }), headers);
    const send = async (message: object) => (await answerTo(message)).status;
    expect(await send({ method: 'notifications/initialized' })).toBe(202);
    const call = { method: 'tools/call', params: { name: 'silence', arguments: {} } };
    expect(await send({ id: 5, ...call })).toBe(200);
    const refused = await answerTo({ id: 6, ...call });
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain('MCP_SIDECAR_PENDING');
    expect(await send({ method: 'notifications/cancelled', params: { requestId: 5 } })).toBe(202);
    expect(await send({ id: 7, method: 'tools/list' })).toBe(200);
  });

  it('end an idle session', async () => {
    const { origin } = await sidecars.start({ MCP_SIDECAR_IDLE_MS: 200 });
    await post(origin, initialize);
    await until('the session is ended', () => sidecars.sessions().some(({ end }) => end === 'idle'));
  });
});

describe('stopping', () => {
  it('ends every process, and answers what was in flight', async () => {
    const { origin, stop } = await sidecars.start();
    const { body } = await client.register(`${origin}/child/mcp`, 'stops');
    const mine = Number((await client.callTool(body.id, 'whoami')).content);
    expect(runs(mine)).toBe(true);
    const heard = join(sidecars.home, 'pids.heard');
    rmSync(heard, { force: true });
    const waiting = client.callTool(body.id, 'silence');
    await until('the process has the call', () => existsSync(heard));
    await stop();
    expect(runs(mine)).toBe(false);
    expect(await waiting).toMatchObject({ ok: false });
    await sidecars.stop();
    expect(sidecars.pids.filter(runs)).toEqual([]);
  });
});
