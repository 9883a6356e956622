import { Writable } from 'node:stream';
import { pino } from 'pino';
import { createAdapterServer, describeConformance, loadFixtures } from '#libs/adapter-sdk';
import { createEgress } from '#libs/egress';
import { createS3Adapter } from './s3.adapter.js';
import { HASTY_MS } from '../testing/patience.js';

await describeConformance(
  { describe, it },
  {
    fixtures: loadFixtures(new URL('conformance', import.meta.url).pathname),
    start: async () => {
      let log = '';
      const sink = new Writable({ write: (chunk, _encoding, done) => ((log += String(chunk)), done()) });
      const egress = createEgress({ allow: ['127.0.0.1'] });
      const adapter = createS3Adapter({ fetch: egress.fetch, timeoutMs: HASTY_MS });
      const app = createAdapterServer([adapter], { version: 'test', logger: pino({ level: 'info' }, sink) });
      app.addHook('onClose', () => egress.close());
      const address = await app.listen({ port: 0, host: '127.0.0.1' });
      return { url: `${address}/s3`, logs: () => log, close: () => app.close() };
    },
  },
);
