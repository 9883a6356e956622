import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import { startFaultProxy } from './fault-proxy.mjs';
import { Store } from './store.mjs';

/**
 * A real authorization server that rotates refresh tokens, behind a proxy that injects faults. Prints one line of JSON
 * once it is ready: `{"url": ...}`. `POST /__faults` on that URL sets faults and returns the requests so far; `POST
 * /__mint` makes refresh tokens without a browser.
 * @type {{redirectUris?: string[], accessTokenSeconds?: number, accounts?: Record<string, object>}} accounts: claims of
 *   people
 */
const options = JSON.parse(process.argv[2] ?? '{}');
const scope = 'openid offline_access mail files';
const resourceScope = 'tools.use';
const life = options.accessTokenSeconds ?? 3_600;
// The ready line must be the first on stdout, so the provider's notices are kept off it.
console.info = () => undefined;
console.warn = () => undefined;

/** @type {import('node:http').RequestListener} */
let serve = (_req, res) => void res.writeHead(503).end();
const server = createServer((req, res) => serve(req, res));
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
const upstream = /** @type {import('node:net').AddressInfo} */ (server.address()).port;
const { port } = await startFaultProxy(upstream);
const url = `http://127.0.0.1:${port}`;

const provider = new Provider(url, {
  adapter: Store,
  clients: [
    {
      client_id: 'gatehouse',
      client_secret: 'a-client-secret',
      redirect_uris: options.redirectUris ?? [`${url}/unused`],
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      response_types: ['code'],
      scope: `${scope} email profile`,
    },
  ],
  scopes: [...scope.split(' '), 'email', 'profile'],
  claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    revocation: { enabled: true },
    // RFC 7591: anybody may register as a client.
    registration: { enabled: true },
    // RFC 8707: a token for a resource is a JWT for it alone, and is given only on request.
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (/** @type {unknown} */ _context, /** @type {string} */ resource) => ({
        scope: resourceScope,
        audience: resource,
        accessTokenTTL: life,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
  pkce: { required: () => true },
  rotateRefreshToken: true,
  issueRefreshToken: async () => true,
  ttl: {
    AccessToken: life,
    ClientCredentials: life,
    IdToken: life,
    AuthorizationCode: 60,
    RefreshToken: 86_400,
    Grant: 86_400,
    Session: 86_400,
    Interaction: 600,
  },
  interactions: {
    url: (/** @type {unknown} */ _context, /** @type {{uid: string}} */ { uid }) => `/interaction/${uid}`,
  },
  findAccount: async (/** @type {unknown} */ _context, /** @type {string} */ id) => ({
    accountId: id,
    claims: async () => ({ sub: id, ...options.accounts?.[id] }),
  }),
});
const callback = provider.callback();

serve = (req, res) => {
  if (req.url === '/__mint') void read(req).then(async (body) => res.end(JSON.stringify(await mint(body))));
  else if (req.url?.startsWith('/interaction/')) void interact(req, res);
  else void callback(req, res);
};
process.stdout.write(`${JSON.stringify({ url })}\n`);

/** Everyone consents to everything. The browser's cookies say who it is, and whether they decline. */
async function interact(
  /** @type {import('node:http').IncomingMessage} */ req,
  /** @type {import('node:http').ServerResponse} */ res,
) {
  const cookies = req.headers.cookie ?? '';
  const { prompt, params } = await provider.interactionDetails(req, res);
  if (/\bdeny=1/.test(cookies)) return provider.interactionFinished(req, res, { error: 'access_denied' });
  const accountId = /\baccount=(\w+)/.exec(cookies)?.[1] ?? 'alice';
  if (prompt.name === 'login') return provider.interactionFinished(req, res, { login: { accountId } });
  const grantId = await grantOf(accountId, String(params['scope'] ?? ''), params);
  return provider.interactionFinished(req, res, { consent: { grantId } });
}

/** @param {string} accountId @param {string} scopes @param {Record<string, unknown>} params of the authorization request */
async function grantOf(accountId, scopes, { client_id: clientId = 'gatehouse', resource } = {}) {
  const grant = new provider.Grant({ accountId, clientId: String(clientId) });
  grant.addOIDCScope(scopes);
  if (resource) grant.addResourceScope(String(resource), resourceScope);
  return grant.save();
}

/** @param {{count: number}} body */
async function mint({ count }) {
  const client = await provider.Client.find('gatehouse');
  const tokens = [];
  for (let made = 0; made < count; made += 1) {
    const accountId = `minted${made}`;
    const grantId = await grantOf(accountId, scope);
    const token = new provider.RefreshToken({ accountId, client, grantId, scope, gty: 'authorization_code' });
    tokens.push(await token.save());
  }
  return { tokens };
}

/** @param {import('node:http').IncomingMessage} req */
async function read(req) {
  let text = '';
  for await (const chunk of req) text += chunk;
  return JSON.parse(text);
}
