import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describeConformance, loadFixtures, type WebhookSigner } from '#libs/adapter-sdk';
import { hostAdapter } from '../testing/adapter-host.js';
import { HASTY_MS } from '../testing/patience.js';
import { createDiscordAdapter } from './discord.adapter.js';

const fixtures = loadFixtures(new URL('conformance', import.meta.url).pathname);

/** Every account gets a key of its own when the suite starts: the private key by its public half. */
const keys = new Map<unknown, KeyObject>();
for (const credentials of Object.values(fixtures.credentials ?? {})) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  credentials.public_key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex');
  keys.set(credentials.public_key, privateKey);
}

const [header, timestampHeader] = ['x-signature-ed25519', 'x-signature-timestamp'];

const signer: WebhookSigner = {
  credential: 'public_key',
  header,
  timestampHeader,
  coversBody: true,
  sign: (body, at, credentials) => {
    const key = keys.get([credentials.public_key].flat()[0]);
    if (!key) throw new Error('an account without a key');
    const timestamp = String(Math.floor(at.getTime() / 1000));
    const signature = sign(null, Buffer.concat([Buffer.from(timestamp), body]), key).toString('hex');
    return { [header]: signature, [timestampHeader]: timestamp };
  },
};

await describeConformance(
  { describe, it },
  {
    fixtures,
    signer,
    start: (providerUrl) => hostAdapter((http) => createDiscordAdapter({ ...http, apiUrl: providerUrl }), HASTY_MS),
  },
);
