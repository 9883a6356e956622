import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describeConformance, isJsonObject, loadFixtures, parseJson, type WebhookSigner } from '#libs/adapter-sdk';
import { hostAdapter } from '../testing/adapter-host.js';
import { HASTY_MS } from '../testing/patience.js';
import { startProviderServer } from '../testing/provider-server.js';
import { createTeamsAdapter } from './teams.adapter.js';

const { privateKey, publicKey } = await generateKeyPair('RS256');
const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256' };
const keyServer = await startProviderServer(() => ({ body: { keys: [jwk] } }));

/** Signs like the Connector: for the bot, and for the server that the activity names; the text is not covered. */
const signer: WebhookSigner = {
  credential: 'app_id',
  header: 'authorization',
  coversBody: false,
  sign: async (body, at, credentials) => {
    const activity = parseJson(body.toString('utf8'));
    const since = Math.floor(at.getTime() / 1000);
    const token = await new SignJWT({ serviceurl: isJsonObject(activity) ? activity.serviceUrl : undefined })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setIssuer('https://api.botframework.com')
      .setAudience(String(credentials.app_id))
      .setNotBefore(since)
      .setExpirationTime(since + 3600)
      .sign(privateKey);
    return { authorization: `Bearer ${token}` };
  },
};

await describeConformance(
  { describe, it },
  {
    fixtures: loadFixtures(new URL('conformance', import.meta.url).pathname),
    signer,
    start: (url) => {
      const servers = { loginUrl: url, serviceUrl: url, jwksUrl: keyServer.url };
      return hostAdapter((http) => createTeamsAdapter({ ...http, ...servers }), HASTY_MS);
    },
  },
);

afterAll(() => keyServer.close());
