import { generateKeyPairSync } from 'node:crypto';
import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { startProviderServer, type ProviderServer, type Reply } from '../testing/provider-server.js';
import { createGithubAdapter } from './github.adapter.js';

const TOKEN = 'canary-7714-github-token';
const webhook_url = 'https://gatehouse.example/api/v1/webhooks/t';
const since = '2026-11-27T10:00:00.000Z';

let github: ProviderServer;
let adapter: AdapterHost;
/** What GitHub answers, by method and path with query; any other is 404. */
let replies: Record<string, Reply>;
beforeAll(async () => {
  github = await startProviderServer();
  adapter = await hostAdapter((http) => createGithubAdapter({ ...http, apiUrl: github.url }));
});
beforeEach(() => {
  github.seen.length = 0;
  github.answer = ({ method, url }) => replies[`${method} ${url}`] ?? { status: 404, body: { message: 'Not Found' } };
});
afterAll(async () => {
  expect(adapter.logs()).not.toContain(TOKEN);
  await adapter.close();
  await github.close();
});

const missed = (credentials: object, cursor: string | null = null) =>
  adapter.call('missed-since', { credentials, webhook_url, since, until: '2026-11-27T10:05:00.000Z', cursor });
const asked = () => github.seen.filter(({ method }) => method === 'POST').map(({ url }) => url);
const delivery = (id: string, guid: string, minute: number, status_code: number) =>
  `{"id":${id},"guid":"${guid}","delivered_at":"2026-11-27T10:0${minute}:00Z","redelivery":false,"status_code":${status_code}}`;
const hooks = {
  body: [
    { id: 7, config: { url: 'https://elsewhere.example/' } },
    { id: 8, config: { url: webhook_url } },
  ],
};
const list = (...deliveries: string[]): Reply => ({
  headers: { 'content-type': 'application/json' },
  body: `[${deliveries.join(',')}]`,
});
const path = '/repos/octo/docs/hooks/8/deliveries';
const attempted = (of: string) => ({ [`POST ${of}/attempts`]: { status: 202 } });

describe('what GitHub could not deliver', () => {
  it('is sent again by GitHub, oldest first, and once each; what has arrived is not', async () => {
    replies = {
      'GET /repos/octo/docs/hooks?per_page=100': hooks,
      [`GET ${path}?per_page=50`]: list(
        delivery('90021548321308675', 'd', 4, 202),
        delivery('90021548321308674', 'c', 3, 0),
        delivery('90021548321308673', 'b', 2, 503),
        delivery('90021548321308672', 'b', 1, 504),
        delivery('90021548321308671', 'd', 1, 500),
        `{"id":1,"guid":"a","delivered_at":"2026-11-27T09:00:00Z","status_code":500}`,
      ),
      // Their last digits are lost in a double.
      ...attempted(`${path}/90021548321308674`),
      ...attempted(`${path}/90021548321308673`),
    };
    expect(await missed({ token: TOKEN, webhook_of: 'octo/docs' })).toEqual({
      ok: true,
      redeliveries: 2,
      requests: [],
    });
    expect(asked().toSorted()).toEqual([`${path}/90021548321308673/attempts`, `${path}/90021548321308674/attempts`]);
  });

  it('is asked for page by page, until the outage began', async () => {
    const headers = {
      'content-type': 'application/json',
      link: `<${github.url}/x?cursor=v1_2&per_page=50>; rel="next"`,
    };
    replies = {
      'GET /orgs/octo/hooks?per_page=100': hooks,
      'GET /orgs/octo/hooks/8/deliveries?per_page=50': { ...list(delivery('5', 'b', 2, 500)), headers },
      'GET /orgs/octo/hooks/8/deliveries?per_page=50&cursor=v1_2': {
        ...list(
          delivery('4', 'a', 1, 200),
          `{"id":3,"guid":"z","delivered_at":"2026-11-27T08:00:00Z","status_code":500}`,
        ),
        headers,
      },
      ...attempted('/orgs/octo/hooks/8/deliveries/5'),
    };
    const credentials = { token: TOKEN, webhook_of: 'octo' };
    const first = { ok: true, redeliveries: 1, requests: [], cursor: 'v1_2', has_more: true };
    expect(await missed(credentials)).toEqual(first);
    expect(await missed(credentials, 'v1_2')).toEqual({ ok: true, redeliveries: 0, requests: [] });
  });

  it('is asked for as the GitHub App where it is the webhook of one', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const app = { app_id: '12', private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) };
    replies = {
      'GET /app/hook/config': { body: { url: webhook_url } },
      'GET /app/hook/deliveries?per_page=50': list(delivery('5', 'b', 2, 500)),
      ...attempted('/app/hook/deliveries/5'),
    };
    expect(await missed(app)).toMatchObject({ ok: true, redeliveries: 1 });
    expect(asked()).toEqual(['/app/hook/deliveries/5/attempts']);
  });

  it.each<[string, object, Record<string, Reply>, object]>([
    ['nobody says whose webhook it is', { token: TOKEN }, {}, { error: 'not_configured' }],
    ['that is no name', { token: TOKEN, webhook_of: '../user' }, {}, { error: 'not_configured' }],
    [
      'no webhook has this URL',
      { token: TOKEN, webhook_of: 'octo/docs' },
      { 'GET /repos/octo/docs/hooks?per_page=100': { body: [] } },
      { error: 'not_configured', message: 'octo/docs has no webhook with the URL of this App' },
    ],
    [
      'the token may not read webhooks',
      { token: TOKEN, webhook_of: 'octo/docs' },
      { 'GET /repos/octo/docs/hooks?per_page=100': { status: 403, body: { message: 'Resource not accessible' } } },
      { error: 'permission_denied' },
    ],
    [
      'GitHub limits the rate',
      { token: TOKEN, webhook_of: 'octo/docs' },
      { 'GET /repos/octo/docs/hooks?per_page=100': { status: 429, headers: { 'retry-after': '9' } } },
      { error: 'rate_limited', retry_after: 9 },
    ],
    [
      'GitHub takes no redelivery',
      { token: TOKEN, webhook_of: 'octo/docs' },
      {
        'GET /repos/octo/docs/hooks?per_page=100': hooks,
        [`GET ${path}?per_page=50`]: list(delivery('5', 'b', 2, 500)),
        [`POST ${path}/5/attempts`]: { status: 502 },
      },
      { error: 'provider_unavailable' },
    ],
  ])('is not asked for where %s, and the answer says why', async (_why, credentials, answers, expected) => {
    replies = answers;
    expect(await missed(credentials)).toMatchObject({ ok: false, ...expected });
  });
});
