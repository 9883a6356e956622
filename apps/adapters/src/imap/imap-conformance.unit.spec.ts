import { TEST_CERTIFICATE } from '#libs/testing';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { createAdapterServer, describeConformance, loadFixtures } from '#libs/adapter-sdk';
import { createEgress } from '#libs/egress';
import { openFakeSmtp, USERS } from '../smtp/testing/fake-smtp.js';
import { createImapAdapter } from './imap.adapter.js';
import { openFakeImap } from './testing/fake-imap.js';

const fixtures = loadFixtures(new URL('conformance', import.meta.url).pathname);
const provider = await openFakeSmtp();
const mailboxes = await openFakeImap(USERS);
for (const credentials of Object.values(fixtures.credentials ?? {})) {
  Object.assign(credentials, { port: String(mailboxes.port), smtp_port: String(provider.port) });
}

await describeConformance(
  { describe, it },
  {
    fixtures,
    provider,
    start: async () => {
      let log = '';
      const sink = new Writable({ write: (chunk, _encoding, done) => ((log += String(chunk)), done()) });
      const egress = createEgress({ allow: ['127.0.0.1'] });
      const adapter = createImapAdapter({
        connect: egress.connect,
        // Enough for fifty concurrent handshakes on a busy machine.
        timeoutMs: 8_000,
        maxLength: 2_000,
        ca: TEST_CERTIFICATE,
      });
      const app = createAdapterServer([adapter], { version: 'test', logger: pino({ level: 'info' }, sink) });
      app.addHook('onClose', () => egress.close());
      const address = await app.listen({ port: 0, host: '127.0.0.1' });
      return { url: `${address}/imap`, logs: () => log, close: () => app.close() };
    },
  },
);
await provider.close();
await mailboxes.close();
