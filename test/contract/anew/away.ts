import { until } from '#libs/testing';
import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import type { CourierWorld } from './courier-world.js';

/** A way in which the adapter is not there, and what is said of it. */
interface Trouble {
  what: string;
  begin(world: CourierWorld): Promise<unknown>;
  end(world: CourierWorld): Promise<unknown>;
  /** Why an event waits, in its timeline. */
  says: RegExp;
  /** In Verify's words. */
  words: RegExp;
}

const troubles: Trouble[] = [
  {
    what: 'was killed',
    begin: ({ adapter }) => adapter.kill(),
    end: ({ adapter }) => adapter.start(),
    says: /^(provider_unavailable|adapter_unready|circuit_open)$/,
    words: /not ready|no connection/,
  },
  {
    what: 'is an error page of a proxy',
    begin: ({ adapter }) => adapter.replace(),
    end: ({ adapter }) => adapter.start(),
    says: /^adapter_unready$/,
    words: /not ready/,
  },
  {
    what: 'does not know the secret of the platform any more',
    begin: ({ adapter }) =>
      adapter.start({ GATEHOUSE_ADAPTER_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}` }),
    end: ({ adapter }) => adapter.start(),
    says: /^(provider_unavailable|circuit_open)$/,
    words: /GATEHOUSE_ADAPTER_SECRET/,
  },
];

/** The adapter is missing: what each caller sees, what goes on by itself, and who notices. @param shared the world */
export function holdAway(shared: () => CourierWorld): void {
  describe.each(troubles)('while the adapter $what', ({ begin, end, says, words }) => {
    let world: CourierWorld;
    let waiting: string;
    let source: string;

    beforeAll(async () => {
      world = shared();
      const made = { app_id: world.app.id, name: `Pages ${Math.random()}`, resource_path: 'handbook' };
      source = (await world.system.api<{ id: string }>('POST', '/api/v1/sources', made)).id;
      await begin(world);
      await until('it is noticed, or answers 401', async () => !(await world.verify()).ok);
    });
    // For what follows, whatever a test here has left.
    afterAll(() => end(world));

    const ask = <T>(method: string, path: string, body?: unknown) => world.system.ask<T>(method, path, body);

    it('a message is taken, and waits with the reason', async () => {
      waiting = await world.write();
      const entry = await until('its timeline says why', async () =>
        (await world.event(waiting)).timeline.find(({ reason }) => says.test(reason ?? '')),
      );
      expect([entry.terminal, (await world.event(waiting)).outcome]).toEqual([false, null]);
    });

    it('Verify says that nothing is known of the credentials, and what is wrong', async () => {
      const verdict = await until('its words name the cause', async () => {
        const verified = await world.verify();
        return words.test(JSON.stringify(verified)) ? verified : null;
      });
      expect([verdict.ok, verdict.code === 'auth_failed']).toEqual([false, false]);
      const credential = await ask<Schema<'CredentialView'>>('GET', `credentials/${world.token}`);
      expect(credential.body.status).toBe('active');
    });

    it('a sync fails with the reason on its source', async () => {
      const begun = await ask<Schema<'SyncRunView'>>('POST', `sources/${source}/sync`);
      const run = await until('the run says so', async () => {
        const { body } = await ask<Schema<'SyncRunView'>>('GET', `sources/${source}/runs/${begun.body.id}`);
        return body.finished_at || body.error ? body : null;
      });
      expect(run.error).toMatch(/\w/);
    });

    it('the messages of another adapter are answered', () => world.neighbourGoesOn());

    it('and what waited is answered once it is back, without anybody’s help, and once', async () => {
      await end(world);
      await world.system.reached(waiting, 'delivery', 'delivered');
      await until('the adapter is shown to be ready', async () => (await world.page()).state === 'ready');
      // By its own deliveries: replies to earlier messages may have waited too.
      const keys = (await world.deliveries(waiting)).map(({ id }) => id);
      expect(keys).toHaveLength(1);
      expect(world.courier.sent.filter(({ key }) => keys.includes(key))).toHaveLength(1);
      await until('Verify finds it well', async () => (await world.verify()).ok);
    });
  });
}
