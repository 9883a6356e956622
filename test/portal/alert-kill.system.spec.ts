import { columnsOf } from '#libs/contracts';
import { freePort, testRedisUrl, testServiceKey, until } from '#libs/testing';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AlertSender } from '../../apps/portal/src/alerts/alert-sender.js';
import { AlertWatcher } from '../../apps/portal/src/alerts/alert-watcher.js';
import { type AlertServices, alertServices, attentionItem } from '../../apps/portal/src/testing/alert-services.js';
import { type PortalWorld, startPortal } from '../../apps/portal/src/testing/portal-world.js';
import { type ServiceProcess, spawnService } from '../system/service-process.js';

const causes = 30;
const replicas = 2;
/** A process that is killed while it is asked gives no answer. */
const answerMs = 5_000;

describe('while portals are killed', () => {
  let services: AlertServices;
  let portal: PortalWorld;
  let urls: { INGRESS_URL: string; VAULT_URL: string; GATEWAY_URL: string; ROUTER_URL: string };
  const running: (ServiceProcess | undefined)[] = [];

  beforeAll(async () => {
    services = await alertServices();
    const { url } = services;
    urls = { INGRESS_URL: url, VAULT_URL: url, GATEWAY_URL: url, ROUTER_URL: url };
    portal = await startPortal({ ...urls, ENGINE_URL: url, MCP_REGISTRY_URL: url }, 0);
    // This one has the database; the processes look and send.
    for (const sweeping of [AlertWatcher, AlertSender]) await portal.app.get(sweeping).onModuleDestroy();
  });
  afterAll(async () => {
    for (const one of running) await one?.kill();
    await portal?.close();
    await services?.close();
  });

  const start = async (index: number): Promise<void> => {
    const port = await freePort();
    const logFile = join(tmpdir(), `gatehouse-alert-portals-${process.pid}.log`);
    running[index] = spawnService(
      'dist/apps/portal/src/main.js',
      {
        PATH: process.env['PATH'] ?? '',
        HOST: '127.0.0.1',
        PORT: String(port),
        OPERATIONS_PORT: '0',
        DATABASE_URL: portal.databaseUrl,
        REDIS_URL: testRedisUrl(),
        GATEHOUSE_SERVICE_KEY: JSON.stringify(testServiceKey),
        PUBLIC_URL: 'http://gatehouse.test',
        ...urls,
        ENGINE_URL: services.url,
        MCP_REGISTRY_URL: services.url,
        ALERT_LOOK_MS: '100',
        ALERT_SEND_MS: '100',
      },
      logFile,
    );
    await until(`portal ${index} is ready (${logFile})`, async () => {
      const { ok } = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(answerMs) });
      return ok;
    });
  };

  it('every cause is sent once, and once that it is over', async () => {
    const { organization_id, project_id } = columnsOf(portal.tenant);
    await portal.query(
      `INSERT INTO portal.alert_rule (id, organization_id, project_id, name, codes, receivers, after_minutes, still_minutes)
       VALUES ('alr_1', $1, $2, 'Operations', '["replies_dead"]', '[{"app_id":"app_mail","address":"ops","kind":"adapter"}]', 0, 10080)`,
      [organization_id, project_id],
    );
    await portal.query('INSERT INTO portal.alert_watch (project_id, organization_id) VALUES ($1, $2)', [
      project_id,
      organization_id,
    ]);
    await Promise.all(Array.from({ length: replicas }, (_, index) => start(index)));

    let kills = 0;
    /** Whoever holds a lease when it is killed is waited for no longer than a test wants to wait. */
    const kill = async (...indexes: number[]): Promise<void> => {
      await Promise.all(indexes.map((index) => running[index]?.kill()));
      kills += indexes.length;
      services.mute = false;
      for (const table of ['portal.alert', 'portal.alert_watch']) {
        await portal.query(`UPDATE ${table} SET lease_until = now() WHERE state = 'running'`);
      }
      await Promise.all(indexes.map(start));
    };
    const sent = (head: string) =>
      [...services.delivered.values()].filter(({ message }) => message.text.startsWith(head));
    for (let cause = 0; cause < causes; cause += 1) {
      const isTaken = cause % 10 === 5;
      services.mute = isTaken;
      const { asked } = services;
      services.items = [...services.items, attentionItem('replies_dead', `app_${cause}`)];
      // The gateway has it, and nobody hears that.
      if (isTaken) await until('it is handed over', () => services.asked > asked);
      if (isTaken) await kill(0, 1);
      else if (cause % 6 === 2) await kill(cause % replicas);
    }
    await until('all are sent', () => sent('[Default] replies_dead').length >= causes);
    services.items = [];
    await kill(0);
    await until('all are over', async () => {
      // In the order in which a look writes them: another one would be a deadlock with it.
      await portal.query(
        `UPDATE portal.alert_cause SET gone_since = now() - interval '2 minutes' WHERE (rule_id, cause) IN (
           SELECT rule_id, cause FROM portal.alert_cause WHERE gone_since > now() - interval '1 minute'
            ORDER BY rule_id, cause FOR UPDATE)`,
      );
      return sent('[Default] Over').length >= causes;
    });
    await kill(1);
    await until('none is open', async () => {
      const [open] = await portal.query<{ count: number }>(
        `SELECT (SELECT count(*) FROM portal.alert WHERE state <> 'done')::int
              + (SELECT count(*) FROM portal.alert_cause)::int AS count`,
      );
      return open?.count === 0;
    });
    const subjects = [...services.delivered.values()].map(({ message }) => message.subject);
    expect(new Set(subjects).size).toBe(subjects.length);
    expect(subjects).toHaveLength(2 * causes);
    expect(kills).toBe(13);
  });
});
