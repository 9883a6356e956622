import { until } from '#libs/testing';
import type { InstalledApp } from './api.js';
import { openFakeAdapter } from './fake-adapter.js';
import { startSystem, type System } from './system.js';
import { post } from './webhook.js';

interface Item {
  code: string;
  severity: string;
  text: string;
  what_to_do: string;
  resource: { kind: string; id: string | null };
  count: number;
}
interface Queues {
  data: { queue: string; service: string; waiting: number; oldest_ms: number }[];
  silent: string[];
}

/** Above what the steps here send, and below what one of them sends at once. */
const endpointRate = 50;
let system: System;

beforeAll(async () => {
  system = await startSystem({ HEALTH_POLL_MS: '200', ENDPOINT_RATE_PER_SECOND: String(endpointRate) });
});
afterAll(() => system?.stop());

const items = async (): Promise<Item[]> => (await system.api<{ data: Item[] }>('GET', '/api/v1/attention')).data;
/** The ingress writes its counts every 30 s. */
const reported = (code: string, id?: string): Promise<Item> =>
  until(`${code} is reported`, async () =>
    (await items()).find((item) => item.code === code && (id === undefined || item.resource.id === id)),
  );

describe('what needs attention', () => {
  it('names an App without its secret, and what it refuses', async () => {
    const app = await system.api<InstalledApp>('POST', '/api/v1/apps', {
      name: 'Orders',
      kind: 'builtin',
      signature: { scheme: 'hmac' },
    });
    const missing = await reported('credentials_missing', app.id);
    expect(missing).toMatchObject({ severity: 'error', resource: { kind: 'app' } });
    expect(missing.text).toMatch(/^Orders: .*missing, every request is refused\.$/);
    const credential_id = await system.credential({ signing_secret: 'a secret' });
    await system.api('PATCH', `/api/v1/apps/${app.id}`, { credential_id });
    await until('it is no longer reported', async () =>
      (await items()).every(({ code, resource }) => code !== 'credentials_missing' || resource.id !== app.id),
    );
    await until('the ingress refuses requests', async () => (await post(app.webhook_url, {})).status === 401);
    for (let sent = 0; sent < 10; sent += 1) await post(app.webhook_url, {});
    expect((await reported('requests_refused', app.id)).text).toContain('missing_signature');
  });

  it('names the limit that refused requests, and how it is raised', async () => {
    const app = await system.api<InstalledApp>('POST', '/api/v1/apps', { name: 'Flooded', kind: 'builtin' });
    await until('the ingress knows it', async () => (await post(app.webhook_url, {})).status !== 404);
    const flood = Array.from({ length: 5 * endpointRate }, () => post(app.webhook_url, { task: 'NO_REPLY' }));
    const refused = (await Promise.all(flood)).filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(10);
    const item = await reported('requests_refused', app.id);
    expect(item.text).toContain('rate_limited');
    expect(item.what_to_do).toContain('ENDPOINT_RATE_PER_SECOND');
  });

  it('names an adapter that is down, and senders that are held', async () => {
    const adapter = await openFakeAdapter('ailing', { verification: 'none' });
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/adapters', { url: adapter.url });
    const app = await system.api<InstalledApp>('POST', '/api/v1/apps', {
      name: 'Ail',
      kind: 'adapter',
      adapter_id: id,
    });
    await until('the ingress knows it', async () => (await post(app.webhook_url, {})).status === 200);
    expect((await reported('senders_held')).text).toMatch(/^1 unknown sender wrote \d+ messages? that/);
    await adapter.close();
    expect((await reported('adapter_unready', id)).text).toContain('ailing is not ready');
  });

  it('names a service that does not answer, whose queues are then unknown', async () => {
    // A service that answers late is silent too.
    const onceSilent = (...names: string[]): Promise<Queues> =>
      until(`${names.join() || 'no service'} is silent`, async () => {
        const queues = await system.api<Queues>('GET', '/api/v1/queues');
        return queues.silent.join() === names.join() && queues;
      });
    const { data } = await onceSilent();
    expect(new Set(data.map(({ queue }) => queue))).toEqual(
      new Set(['inbound', 'outbound', 'sync', 'route', 'turns', 'outbound-sent', 'app-changes', 'mcp-discovery']),
    );
    await system.kill('mcp-registry');
    expect(await reported('service_silent', 'mcp-registry')).toMatchObject({ severity: 'error' });
    await onceSilent('mcp-registry');
    expect((await items())[0]?.severity).toBe('error');
  });
});

describe('statistics', () => {
  it('count what the ingress accepted and what became of it', async () => {
    const { id } = await post(system.webhookUrl, { task: 'count me' });
    await system.ended(id);
    const count = async () => {
      const path = `/api/v1/statistics/messages?app_id=${system.appId}`;
      const { total } = await system.api<{ total: { received: number; outcomes: { outcome: string }[] } }>('GET', path);
      return total.received > 0 ? total : null;
    };
    const total = await until('it is counted', count);
    expect(total).toMatchObject({ received: 1, outcomes: [{ outcome: 'routed', count: 1 }] });
  });
});
