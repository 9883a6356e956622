import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { createAdapterServer, describeConformance, loadFixtures, type WebhookSigner } from '#libs/adapter-sdk';
import { createEgress } from '#libs/egress';
import { createSendgridAdapter } from './sendgrid.adapter.js';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from './verify-webhook.js';
import { HASTY_MS } from '../testing/patience.js';

const fixtures = loadFixtures(new URL('conformance', import.meta.url).pathname);

/** Every account gets a key of its own when the suite starts: the private key by its public half. */
const keys = new Map<unknown, KeyObject>();
for (const credentials of Object.values(fixtures.credentials ?? {})) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  credentials.event_public_key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  credentials.inbound_public_key = credentials.event_public_key;
  keys.set(credentials.event_public_key, privateKey);
}

const signer: WebhookSigner = {
  credential: 'event_public_key',
  header: SIGNATURE_HEADER,
  timestampHeader: TIMESTAMP_HEADER,
  coversBody: true,
  sign: (body, at, credentials) => {
    const key = keys.get(credentials.event_public_key);
    if (!key) throw new Error('an account without a key');
    const timestamp = String(Math.floor(at.getTime() / 1000));
    const signature = sign('sha256', Buffer.concat([Buffer.from(timestamp), body]), key).toString('base64');
    return { [SIGNATURE_HEADER]: signature, [TIMESTAMP_HEADER]: timestamp };
  },
};

await describeConformance(
  { describe, it },
  {
    fixtures,
    signer,
    start: async (apiUrl) => {
      let log = '';
      const sink = new Writable({ write: (chunk, _encoding, done) => ((log += String(chunk)), done()) });
      const egress = createEgress({ allow: ['127.0.0.1'] });
      const adapter = createSendgridAdapter({ fetch: egress.fetch, timeoutMs: HASTY_MS, apiUrl, maxLength: 2_000 });
      const app = createAdapterServer([adapter], { version: 'test', logger: pino({ level: 'info' }, sink) });
      app.addHook('onClose', () => egress.close());
      const address = await app.listen({ port: 0, host: '127.0.0.1' });
      return { url: `${address}/sendgrid`, logs: () => log, close: () => app.close() };
    },
  },
);
