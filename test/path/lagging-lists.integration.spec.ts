import { behindHeader, type LaggingList, laggingLists, mayLagHeader } from '#libs/contracts';
import { openWorld, restoreLogs, silenceLogs, until } from '#libs/testing';
import { gatewayService } from '../../apps/adapter-gateway/src/service.js';
import { gatewayDefaults } from '../../apps/adapter-gateway/src/testing/gateway-world.js';
import { engineService } from '../../apps/engine/src/service.js';
import { engineDefaults } from '../../apps/engine/src/testing/engine-world.js';
import { AppModule as RouterModule } from '../../apps/router/src/app.module.js';
import { routerDefaults } from '../../apps/router/src/testing/router-world.js';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../database/replicated-postgres.js';

interface Lagging {
  behind_ms: number | null;
}

let postgres: ReplicatedPostgres;
beforeAll(async () => {
  silenceLogs();
  postgres = await startReplicatedPostgres();
});
afterAll(async () => {
  await postgres?.stop();
  restoreLogs();
});

const settingsOf = (service: string) => ({
  DATABASE_URL: postgres.urlOf('primary', service),
  DATABASE_REPLICA_URL: postgres.urlOf('replica', service),
  REPLICA_MAX_LAG_MS: 60_000,
});
const routers = () =>
  openWorld({
    service: (settings) => ({ name: 'router', module: RouterModule.with(settings), settings }),
    settings: { ...routerDefaults(), ...settingsOf('router') },
    databaseUrl: postgres.urlOf('primary', 'router'),
  });
const engines = () =>
  openWorld({
    service: engineService,
    settings: { ...engineDefaults(), ...settingsOf('engine') },
    databaseUrl: postgres.urlOf('primary', 'engine'),
  });
const gateways = () =>
  openWorld({
    service: gatewayService,
    settings: { ...gatewayDefaults, ...settingsOf('adapter-gateway') },
    databaseUrl: postgres.urlOf('primary', 'adapter-gateway'),
  });

/** The lists of each service. The portal's is the audit log, which each service has a part of. */
const services: [string, () => ReturnType<typeof routers | typeof engines | typeof gateways>, LaggingList[]][] = [
  ['router', routers, ['events', 'message-statistics', 'held-messages']],
  ['engine', engines, ['runs', 'usage', 'turn-paths']],
  ['adapter-gateway', gateways, ['deliveries']],
];

it('every list that may lag is read here', () => {
  const read = services.flatMap(([, , lists]) => lists);
  expect([...read, 'audit'].toSorted()).toEqual(Object.keys(laggingLists).toSorted());
});

describe.each(services)('the lists of the %s', (_name, open, lists) => {
  it('come from a replica, say how old they are, and are current without leave to lag', async () => {
    const world = await open();
    try {
      await world.start();
      const headers = { [mayLagHeader]: '60000' };
      const paths = lists.map((list) => laggingLists[list].replace('/api/v1/', ''));
      for (const path of paths) {
        await until(`${path} comes from the replica`, async () => {
          const { status, body, headers: answered } = await world.call<Lagging>('GET', path, undefined, { headers });
          expect(status).toBe(200);
          expect(answered.get(behindHeader)).toBe(body.behind_ms === null ? null : String(body.behind_ms));
          return body.behind_ms !== null;
        });
        const { body, headers: answered } = await world.call<Lagging>('GET', path);
        expect([body.behind_ms, answered.get(behindHeader)]).toEqual([null, null]);
      }
      const { body } = await world.internal<Lagging>('GET', 'audit', undefined, { headers });
      expect(body.behind_ms).toBeGreaterThanOrEqual(0);
    } finally {
      await world.close();
    }
  });
});
