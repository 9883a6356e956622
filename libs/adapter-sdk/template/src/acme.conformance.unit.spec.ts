import { createAdapterServer, describeConformance, loadFixtures } from '@gatehouse/adapter-sdk';
import { createAcmeAdapter } from './acme.adapter.js';

const secret = Buffer.alloc(32, 7).toString('base64');

await describeConformance(
  { describe, it },
  {
    secret,
    fixtures: loadFixtures(new URL('../conformance', import.meta.url).pathname),
    start: async (providerUrl) => {
      const app = createAdapterServer([createAcmeAdapter({ url: providerUrl, timeoutMs: 2_000 })], {
        version: 'test',
        secret,
      });
      const address = await app.listen({ port: 0, host: '127.0.0.1' });
      return { url: `${address}/acme`, close: () => app.close() };
    },
  },
);
