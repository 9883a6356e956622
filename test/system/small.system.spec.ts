import { services } from '../../scripts/launcher/services.mjs';
import { until } from '#libs/testing';
import { openPlainAdapter } from './plain-adapter.js';
import { openSink, type Sink } from './sink.js';
import { hostable, startSmallSystem, type System } from './system.js';
import { post } from './webhook.js';

/** A line of a process's log. */
interface Line {
  service: string;
  level: number;
  event?: string;
  url?: string;
}

describe('a small installation, with all services that may share a process in one', () => {
  let system: System;
  let sink: Sink;

  beforeAll(async () => {
    sink = await openSink();
    system = await startSmallSystem({ HEALTH_POLL_MS: '500' });
  });
  afterAll(async () => {
    await system?.stop();
    await sink.close();
  });

  const lines = (): Line[] =>
    system
      .logs()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line);

  it('runs only the python-runner as a process of its own', () => {
    expect(services.map(({ name }) => name).filter((name) => !hostable.includes(name))).toEqual(['python-runner']);
  });

  it('takes a message from its webhook to a delivered reply', async () => {
    await system.api('PUT', `/api/v1/channels/${system.appId}`, { reply_address: `${sink.url}/small` });
    const { status, id } = await post(system.webhookUrl, { task: 'all in one', metadata: { source: 'ci' } });
    expect(status).toBe(200);
    const reply = await until('a reply arrives', () => sink.repliesTo(id)[0]);
    expect(reply.json['text']).toContain('all in one');
    const { timeline } = await system.reached(id, 'delivery', 'delivered');
    expect(timeline.map(({ service }) => service)).toEqual(
      expect.arrayContaining(['webhook-ingress', 'adapter-gateway', 'router', 'engine']),
    );
    expect(sink.repliesTo(id)).toHaveLength(1);
  });

  it('has each service answer at its own port, with its own role in Postgres, user in Redis and name in the log', async () => {
    for (const name of hostable) {
      expect([name, (await fetch(`${system.origin(name)}/health/ready`)).status]).toEqual([name, 200]);
    }
    const started = lines().filter(({ event }) => event === 'service.started' || event === 'adapters.listening');
    expect(started.map(({ service }) => service).sort()).toEqual(services.map(({ name }) => name).sort());
    for (const { service, url } of started) if (url) expect([service, url]).toEqual([service, system.origin(service)]);
    expect(await system.refusedByRedis()).toEqual([]);
    expect(system.logs()).not.toMatch(/permission denied|NOPERM/);
  });

  it('logs under the name of the service that does the work', async () => {
    const adapter = await openPlainAdapter('gone');
    expect(await system.api('POST', '/api/v1/adapters', { url: adapter.url })).toMatchObject({ state: 'ready' });
    await adapter.close();
    const line = await until('the poll was logged', () => lines().find(({ event }) => event === 'adapter.state'));
    expect(line.service).toBe('adapter-gateway');
  });

  it('drains all of them when it is asked to stop, and says so', async () => {
    expect(await system.drain('router')).toBe(0);
    expect(lines().filter(({ service }) => service === 'host')).toMatchObject([
      { event: 'host.started', services: hostable },
      { event: 'host.draining' },
      { event: 'host.stopped' },
    ]);
    const broken = lines().filter(({ level }) => level >= 50);
    expect(broken).toEqual([]);
    for (const name of hostable) await expect(fetch(`${system.origin(name)}/health/live`)).rejects.toThrow();
  });
});
