import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { JsonObject } from '#libs/adapter-sdk';
import { type AdapterHost, hostAdapter } from '../testing/adapter-host.js';
import { type ProviderServer, startProviderServer } from '../testing/provider-server.js';
import { createTeamsAdapter } from './teams.adapter.js';
import { serviceOf } from './teams-api.js';

const app = '00000000-1111-2222-3333-444444444444';
const credentials = { app_id: app, app_password: 'secret', tenant_id: 'contoso.example' };
const { privateKey, publicKey } = await generateKeyPair('RS256');
const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256' };
const serviceUrl = 'https://smba.trafficmanager.net/amer/';

let microsoft: ProviderServer;
let adapter: AdapterHost;

beforeAll(async () => {
  microsoft = await startProviderServer();
  const { url } = microsoft;
  adapter = await hostAdapter((http) =>
    createTeamsAdapter({ ...http, loginUrl: url, serviceUrl: url, jwksUrl: `${url}/keys` }),
  );
});
afterAll(async () => {
  await adapter.close();
  await microsoft.close();
});
beforeEach(() => {
  microsoft.seen.length = 0;
  microsoft.answer = ({ url }) => {
    if (url === '/keys') return { body: { keys: [jwk] } };
    if (url.endsWith('/token')) return { body: { access_token: 'bot-token', expires_in: 3600 } };
    return { body: { id: '1:answer' } };
  };
});

const activity = { type: 'message', id: 'f:1', channelId: 'msteams', serviceUrl, text: 'Hello' };

async function verified(
  claims: object,
  over: { issuer?: string; audience?: string; at?: number } = {},
): Promise<JsonObject> {
  const at = Math.floor(over.at ?? Date.now() / 1000);
  const token = await new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
    .setIssuer(over.issuer ?? 'https://api.botframework.com')
    .setAudience(over.audience ?? app)
    .setNotBefore(at)
    .setExpirationTime(at + 3600)
    .sign(privateKey);
  const headers = { authorization: `Bearer ${token}` };
  return adapter.call('verify-webhook', { credentials, request: { headers, body: JSON.stringify(activity) } });
}

describe('the token of an activity', () => {
  it('is accepted for this bot, from the server that the activity names, while it is valid', async () => {
    expect(await verified({ serviceurl: serviceUrl })).toEqual({ ok: true, scheme: 'jwt' });
  });

  it.each([
    ['for another bot', { serviceurl: serviceUrl }, { audience: 'another' }, 'bad_signature'],
    ['of another issuer', { serviceurl: serviceUrl }, { issuer: 'https://sts.windows.net/' }, 'bad_signature'],
    ['for another server', { serviceurl: 'https://evil.example/' }, {}, 'bad_signature'],
    ['for no server', {}, {}, 'bad_signature'],
    ['that has ended', { serviceurl: serviceUrl }, { at: Date.now() / 1000 - 7_200 }, 'stale_timestamp'],
    ['that is not valid yet', { serviceurl: serviceUrl }, { at: Date.now() / 1000 + 3_600 }, 'stale_timestamp'],
  ])('is refused %s', async (_what, claims, over, error) => {
    expect(await verified(claims, over)).toMatchObject({ ok: false, error });
  });
});

describe('the server that the token of the bot goes to', () => {
  const settings = { loginUrl: '', jwksUrl: '', timeoutMs: 1, fetch: () => Promise.reject(new Error('no call')) };
  it('is one of Microsoft, whatever an activity says', () => {
    expect(serviceOf(serviceUrl, settings)).toBe('https://smba.trafficmanager.net/amer');
    expect(serviceOf('https://smba.infra.gov.trafficmanager.net/x', settings)).toBeDefined();
    expect(serviceOf(undefined, settings)).toBe('https://smba.trafficmanager.net/teams');
    for (const other of [
      'http://smba.trafficmanager.net/amer/',
      'https://evil.example/',
      'https://evil.trafficmanager.net/',
      'https://smba.trafficmanager.net.evil.example/',
      'https://smba.trafficmanager.net@evil.example/',
      'https://smba.trafficmanager.net:444/',
    ]) {
      expect([other, serviceOf(other, settings)]).toEqual([other, undefined]);
    }
  });
});

describe('a message to Teams', () => {
  const deliver = (message: object, address = '19:abc@thread.tacv2'): Promise<JsonObject> =>
    adapter.call('deliver', { credentials, channel_address: address, message });
  const calls = (): string[] => microsoft.seen.map(({ method, url }) => `${method} ${url}`);
  const thread = '/v3/conversations/19%3Aabc%40thread.tacv2%3Bmessageid%3D1481567603816/activities';

  it('goes to its thread, with a token that is asked for once', async () => {
    const reply = { text: 'It **is**.', thread_id: '1481567603816', reply_context: { service_url: serviceUrl } };
    expect(await deliver(reply)).toMatchObject({ ok: true, message_id: '1:answer', thread_id: '1481567603816' });
    await deliver(reply);
    expect(calls()).toEqual(['POST /contoso.example/oauth2/v2.0/token', `POST ${thread}`, `POST ${thread}`]);
    expect(microsoft.seen[0]?.fields).toMatchObject({ grant_type: 'client_credentials', client_id: app });
    expect(microsoft.seen[1]?.headers.authorization).toBe('Bearer bot-token');
    expect(microsoft.seen[1]?.fields).toEqual({ type: 'message', text: 'It **is**.', textFormat: 'markdown' });
  });

  it('offers choices on a card, takes them away by an edit, and shows that it is written', async () => {
    const actions = [{ id: 'yes', label: 'Approve', style: 'primary', value: 'sealed' }];
    await deliver({ text: 'Deploy?', actions });
    expect(microsoft.seen.at(-1)?.fields.attachments).toMatchObject([
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          actions: [
            {
              type: 'Action.Submit',
              title: 'Approve',
              style: 'positive',
              data: { gatehouse: { id: 'yes', value: 'sealed' } },
            },
          ],
        },
      },
    ]);
    expect(await deliver({ text: 'Approved.', edit_of: '1:answer' })).toMatchObject({ message_id: '1:answer' });
    expect(microsoft.seen.at(-1)).toMatchObject({ method: 'PUT', fields: { text: 'Approved.', attachments: [] } });
    await adapter.call('indicate', { credentials, channel_address: 'a:1', state: 'working' });
    expect(microsoft.seen.at(-1)).toMatchObject({
      url: '/v3/conversations/a%3A1/activities',
      fields: { type: 'typing' },
    });
  });

  it('says which refusal is of the app, and which of the conversation', async () => {
    const gone = { ...credentials, app_password: 'ended' };
    microsoft.answer = ({ url }) =>
      url.endsWith('/token') ? { status: 401, body: { error: 'invalid_client' } } : { body: {} };
    const call = { credentials: gone, channel_address: 'a:1', message: { text: 'x' } };
    expect(await adapter.call('deliver', call)).toMatchObject({ error: 'auth_failed' });
    expect(await adapter.call('verify', { credentials: gone })).toMatchObject({ ok: false, error: 'auth_failed' });
    microsoft.answer = () => ({ status: 403, body: { error: { code: 'BotNotInConversationRoster', message: 'no' } } });
    expect(await deliver({ text: 'x' })).toMatchObject({
      error: 'permission_denied',
      error_detail: { provider_code: 'BotNotInConversationRoster' },
    });
    expect(await deliver({ text: 'x' }, 'not/a conversation')).toMatchObject({ error: 'invalid_request' });
  });
});

describe('a file of a message', () => {
  const fetchFile = (file_path: string): Promise<Response> =>
    fetch(`${adapter.url}/sources/fetch-file`, {
      method: 'POST',
      body: JSON.stringify({ credentials, resource_path: '', file_path }),
    });

  it('that was recorded comes from the server of the conversation, with the token of the bot', async () => {
    microsoft.answer = ({ url }) =>
      url.endsWith('/token')
        ? { body: { access_token: 'bot-token', expires_in: 3600 } }
        : { headers: { 'content-type': 'audio/mp4' }, body: 'the voice' };
    const file = await fetchFile(`${microsoft.url}/v3/attachments/a1/views/original`);
    expect([await file.text(), file.headers.get('content-type')]).toEqual(['the voice', 'audio/mp4']);
    expect(microsoft.seen.at(-1)?.headers.authorization).toBe('Bearer bot-token');
  });

  it('at any other address is not asked for', async () => {
    for (const address of [
      'https://evil.example/a',
      'https://sharepoint.com.evil.example/a',
      'file:///etc/passwd',
      'a',
    ])
      expect(await (await fetchFile(address)).json()).toMatchObject({ ok: false, error: 'not_found' });
    expect(microsoft.seen).toEqual([]);
  });

  it('that is refused is asked for with another token the next time', async () => {
    const isToken = ({ url }: { url: string }) => url.endsWith('/token');
    microsoft.answer = (request) =>
      isToken(request) ? { body: { access_token: 'bot-token', expires_in: 3600 } } : { status: 401 };
    await fetchFile(`${microsoft.url}/v3/attachments/a1`);
    await fetchFile(`${microsoft.url}/v3/attachments/a1`);
    expect(microsoft.seen.slice(-2).map(isToken)).toEqual([true, false]);
  });

  it.each([
    [401, 'auth_failed'],
    [403, 'permission_denied'],
    [404, 'not_found'],
    [429, 'rate_limited'],
    [503, 'provider_unavailable'],
  ])('that is answered with %i is %s', async (status, error) => {
    microsoft.answer = ({ url }) =>
      url.endsWith('/token') ? { body: { access_token: 'bot-token', expires_in: 3600 } } : { status };
    expect(await (await fetchFile(`${microsoft.url}/v3/attachments/a1`)).json()).toMatchObject({ ok: false, error });
  });
});
