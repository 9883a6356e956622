import { Writable } from 'node:stream';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { pino } from 'pino';
import { createAdapterServer, describeConformance, loadFixtures, type WebhookSigner } from '#libs/adapter-sdk';
import { createEgress } from '#libs/egress';
import { createGmailAdapter } from './gmail.adapter.js';
import { openFakeGmail } from './testing/fake-gmail.js';
import { HASTY_MS } from '../testing/patience.js';

const { privateKey, publicKey } = await generateKeyPair('RS256');
const provider = await openFakeGmail({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256' }] });

/** Signs like Pub/Sub: for an audience, as the subscription's account; the body is not covered. */
const signer: WebhookSigner = {
  credential: 'pubsub_audience',
  header: 'authorization',
  coversBody: false,
  sign: async (_body, at, credentials) => {
    const issuedAt = Math.floor(at.getTime() / 1000);
    const token = await new SignJWT({ email: String(credentials.pubsub_service_account), email_verified: true })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setIssuer('https://accounts.google.com')
      .setAudience(String(credentials.pubsub_audience))
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + 3600)
      .sign(privateKey);
    return { authorization: `Bearer ${token}` };
  },
};

await describeConformance(
  { describe, it },
  {
    fixtures: loadFixtures(new URL('conformance', import.meta.url).pathname),
    provider,
    signer,
    start: async (apiUrl) => {
      let log = '';
      const sink = new Writable({ write: (chunk, _encoding, done) => ((log += String(chunk)), done()) });
      const egress = createEgress({ allow: ['127.0.0.1'] });
      const adapter = createGmailAdapter({
        fetch: egress.fetch,
        timeoutMs: HASTY_MS,
        apiUrl,
        jwksUrl: `${apiUrl}/certs`,
        maxLength: 2_000,
      });
      const app = createAdapterServer([adapter], { version: 'test', logger: pino({ level: 'info' }, sink) });
      app.addHook('onClose', () => egress.close());
      const address = await app.listen({ port: 0, host: '127.0.0.1' });
      return { url: `${address}/gmail`, logs: () => log, close: () => app.close() };
    },
  },
);
await provider.close();
