import pg from 'pg';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { roleOf } from '#libs/database';
import { until } from '#libs/testing';
import type { InstalledApp } from './api.js';
import { rises, scrape, sumOf } from './metrics.js';
import { openFakeAdapter } from './fake-adapter.js';
import { startSystem, type System } from './system.js';
import { post } from './webhook.js';

/**
 * Causes the faults that docs/runbooks names, and checks that the metric behind each alert moves. It does not check
 * that the alert fires: that takes minutes, and a Prometheus.
 */
describe('a deliberate fault changes the metrics of its alert', () => {
  let system: System;
  let model: Server;

  beforeAll(async () => {
    model = createServer((_request, response) => void response.writeHead(500).end());
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    const { port } = model.address() as AddressInfo;
    system = await startSystem({
      MODEL_BASE_URL: `http://127.0.0.1:${port}/v1`,
      MODEL_NAME: 'broken',
      HEALTH_POLL_MS: '200',
    });
  });
  afterAll(async () => {
    await system?.stop();
    model?.closeAllConnections();
    model?.close();
  });

  const now = async (service: string, name: string, labels: Record<string, string> = {}): Promise<number> =>
    sumOf(await scrape(system, service), name, labels);
  const requests = 'gatehouse_http_request_seconds_count';
  const onDatabase = async (work: (client: pg.Client) => Promise<unknown>): Promise<void> => {
    const client = new pg.Client({ connectionString: system.databaseUrl });
    await client.connect();
    await work(client).finally(() => client.end());
  };
  const installed = async (slug: string) => {
    const adapter = await openFakeAdapter(slug, { verification: 'none' });
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/adapters', { url: adapter.url });
    const app = await system.api<InstalledApp>('POST', '/api/v1/apps', { name: slug, kind: 'adapter', adapter_id: id });
    await until('the ingress accepts it', async () => (await post(app.webhook_url, { text: 'first' })).status === 200);
    return { adapter, app };
  };

  it('GatehouseModelFails: a model server that answers 500', async () => {
    await post(system.webhookUrl, { task: 'Say hello' });
    await rises(system, 'engine', 'gatehouse_model_call_seconds_count', {}, 0);
    expect(await now('engine', 'gatehouse_model_call_seconds_count', { outcome: 'ok' })).toBe(0);
  });

  it('GatehouseAcknowledgesSlowly: a lock on the receipts', async () => {
    const slow = { le: '1', route: '/api/v1/webhooks/:token', status: '200' };
    const all = { route: '/api/v1/webhooks/:token', status: '200' };
    const late = async (): Promise<number> =>
      (await now('webhook-ingress', requests, all)) -
      (await now('webhook-ingress', 'gatehouse_http_request_seconds_bucket', slow));
    const before = await late();
    await onDatabase(async (client) => {
      await client.query('BEGIN');
      await client.query('LOCK TABLE ingress.receipt IN ACCESS EXCLUSIVE MODE');
      const sent = post(system.webhookUrl, { task: 'late' });
      await until('its write waits for the lock', async () => {
        const { rowCount } = await client.query(
          `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
            WHERE d.datname = current_database() AND l.relation = 'ingress.receipt'::regclass
              AND l.mode = 'RowExclusiveLock' AND NOT l.granted`,
        );
        return rowCount !== 0;
      });
      await client.query('SELECT pg_sleep(1.5)');
      await client.query('COMMIT');
      expect((await sent).status).toBe(200);
    });
    expect(await late()).toBe(before + 1);
  });

  it('GatehouseIngressFails, GatehousePostgresAnswersSlowly: the ingress does not reach Postgres', async () => {
    system.ingressLinks.database.cut();
    expect((await post(system.webhookUrl, { task: 'not stored' })).status).toBe(503);
    await rises(system, 'webhook-ingress', requests, { status: '503' }, 0);
    expect(await now('webhook-ingress', 'gatehouse_postgres_answer_seconds')).toBe(2);
    system.ingressLinks.database.mend();
    await until('it is back', async () => (await now('webhook-ingress', 'gatehouse_postgres_answer_seconds')) < 1);
  });

  it('GatehousePoolIsExhausted: a lock, and more requests than connections', async () => {
    const asked: Promise<unknown>[] = [];
    await onDatabase(async (client) => {
      await client.query('BEGIN');
      await client.query('LOCK TABLE router.contact IN ACCESS EXCLUSIVE MODE');
      for (let count = 0; count < 30; count += 1) asked.push(system.api('GET', '/api/v1/contacts'));
      await rises(system, 'router', 'gatehouse_postgres_connections', { state: 'waiting' }, 0);
      await client.query('COMMIT');
    });
    await Promise.all(asked);
    await until(
      'nothing waits',
      async () => (await now('router', 'gatehouse_postgres_connections', { state: 'waiting' })) === 0,
    );
  });

  it('GatehouseJobsMissed: the ingress does not reach Redis', async () => {
    const before = await now('webhook-ingress', 'gatehouse_jobs_missed');
    system.ingressLinks.redis.cut();
    expect((await post(system.webhookUrl, { task: 'enqueued later' })).status).toBe(200);
    await rises(system, 'webhook-ingress', 'gatehouse_jobs_missed', {}, before);
    system.ingressLinks.redis.mend();
  });

  it('GatehouseDeadLetters: an adapter breaks the contract', async () => {
    const { adapter, app } = await installed('broken');
    adapter.parsed = JSON.stringify({ event_type: 'x', sender: 'ada', message: 'hi', is_bot: 'no' });
    await post(app.webhook_url, { text: 'hello' });
    await rises(system, 'adapter-gateway', 'gatehouse_outcomes_total', { outcome: 'dead' }, 0);
    await adapter.close();
  });

  it('GatehouseAdapterIsAway: an adapter is closed', async () => {
    const { adapter } = await installed('leaving');
    const name = 'gatehouse_adapter_request_seconds_count';
    const failed = async (): Promise<number> =>
      (await now('adapter-gateway', name, { route: '/health' })) -
      (await now('adapter-gateway', name, { route: '/health', outcome: 'ok' }));
    const before = await failed();
    await adapter.close();
    await until('the gateway has called it in vain', async () => (await failed()) > before + 2);
    expect(await scrape(system, 'adapter-gateway')).toContain('gatehouse_adapter_circuits{state="shut"');
  });

  it('GatehouseCredentialDoesNotOpen: a wrapped key is overwritten', async () => {
    const id = await system.credential({ signing_secret: 'a secret' });
    await onDatabase((client) =>
      client.query('UPDATE vault.credential SET wrapped_dek = sha512(wrapped_dek) WHERE id = $1', [id]),
    );
    await system.api('POST', `/api/v1/credentials/${id}/verify`).catch(() => null);
    const app = { name: 'signed', kind: 'builtin', credential_id: id, signature: { scheme: 'hmac' } };
    const { webhook_url } = await system.api<InstalledApp>('POST', '/api/v1/apps', app);
    await until('the ingress asks for it', async () => (await post(webhook_url, { task: 'x' })).status !== 404);
    await rises(system, 'credential-vault', 'gatehouse_vault_undecryptable_total', {}, 0);
  });

  it('GatehouseEventLoopLags: a service gets no processor, twice for a second', async () => {
    const lag = 'nodejs_eventloop_lag_p99_seconds';
    await until('the lag shows', async () => {
      // Each scrape covers the time since the previous one, and the first delay in it is not measured.
      await now('router', lag);
      for (const _time of [1, 2]) {
        const goOn = system.freeze('router');
        await onDatabase((client) => client.query('SELECT pg_sleep(1)')).finally(goOn);
        for (const _request of [1, 2]) await fetch(`${system.origin('router')}/health/live`);
      }
      return (await now('router', lag)) > 0.5;
    });
  });

  it('GatehouseJournalLosesEntries: the journal refuses what a service writes, and no message is lost by it', async () => {
    const name = 'gatehouse_journal_write_failures_total';
    const before = await now('router', name);
    await onDatabase((client) => client.query(`REVOKE INSERT ON journal.entry FROM ${roleOf('router')}`));
    const { id } = await post(system.webhookUrl, { task: 'routed late' });
    // The failed write is noticed because routing is retried.
    await rises(system, 'router', name, {}, before);
    await onDatabase((client) => client.query(`GRANT INSERT ON journal.entry TO ${roleOf('router')}`));
    await system.reached(id, 'routed', 'routed');
  });

  it('GatehouseQueueIsLong: nobody takes the jobs of a queue', async () => {
    await system.kill('router');
    await post(system.webhookUrl, { task: 'waits' });
    const { waiting } = await until('the job waits', async () => {
      const { rows } = await jobsOf('route');
      return rows > 0 ? { waiting: rows } : null;
    });
    expect(waiting).toBeGreaterThan(0);
    await system.restart('router');
    expect(await scrape(system, 'router')).toContain('gatehouse_queue_oldest_seconds{queue="route"');
  });

  /** Asks Redis itself: the service that reports the queue is the one that is away. */
  async function jobsOf(queue: string): Promise<{ rows: number }> {
    const { Redis } = await import('ioredis');
    const redis = new Redis(system.redisUrl);
    const rows = await redis.llen(`{gatehouse:q:${queue}}:${queue}:wait`);
    redis.disconnect();
    return { rows };
  }
});
