import { Writable } from 'node:stream';
import { pino } from 'pino';
import { createAdapterServer, describeConformance, loadFixtures } from '#libs/adapter-sdk';
import { createEgress } from '#libs/egress';
import { createGenericAdapter } from './generic.adapter.js';
import { HASTY_MS } from '../testing/patience.js';

await describeConformance(
  { describe, it },
  {
    fixtures: loadFixtures(new URL('conformance', import.meta.url).pathname),
    start: async () => {
      let log = '';
      const sink = new Writable({ write: (chunk, _encoding, done) => ((log += String(chunk)), done()) });
      const egress = createEgress({ allow: ['127.0.0.1'] });
      const adapter = createGenericAdapter({ fetch: egress.fetch, timeoutMs: HASTY_MS, maxLength: 100_000 });
      const app = createAdapterServer([adapter], { version: 'test', logger: pino({ level: 'info' }, sink) });
      app.addHook('onClose', () => egress.close());
      const address = await app.listen({ port: 0, host: '127.0.0.1' });
      return { url: `${address}/generic`, logs: () => log, close: () => app.close() };
    },
  },
);
