import { createHmac } from 'node:crypto';
import { describeConformance, loadFixtures, type WebhookSigner } from '#libs/adapter-sdk';
import { hostAdapter } from '../testing/adapter-host.js';
import { HASTY_MS } from '../testing/patience.js';
import { createTwilioAdapter } from './twilio.adapter.js';

/** Where the kit's webhooks arrive. */
const url = 'https://gatehouse.example/api/v1/webhooks/conformance';
const header = 'x-twilio-signature';

const signer: WebhookSigner = {
  credential: 'token',
  header,
  coversBody: true,
  sign: (body, _at, credentials) => {
    const fields = [...new URLSearchParams(body.toString('utf8'))].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const token = String([credentials.token].flat()[0]);
    const digest = createHmac('sha1', token).update(url + fields.flat().join(''));
    return { [header]: digest.digest('base64') };
  },
};

await describeConformance(
  { describe, it },
  {
    fixtures: loadFixtures(new URL('conformance', import.meta.url).pathname),
    signer,
    start: (providerUrl) => hostAdapter((http) => createTwilioAdapter({ ...http, apiUrl: providerUrl }), HASTY_MS),
  },
);
