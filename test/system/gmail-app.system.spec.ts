import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InstalledApp } from './api.js';
import { startSmallSystem, type System } from './system.js';

const mailbox = 'ada@example.org';
const audience = 'https://gatehouse.example/gmail';
const account = 'push@project.iam.gserviceaccount.com';
const accessToken = 'the-token-of-the-mailbox';

const mail = {
  id: '18f',
  threadId: '18a',
  labelIds: ['INBOX'],
  internalDate: String(Date.now()),
  payload: {
    mimeType: 'text/plain',
    filename: '',
    headers: [
      { name: 'From', value: 'Jane <jane@example.org>' },
      { name: 'To', value: mailbox },
      { name: 'Subject', value: 'Plans' },
      { name: 'Message-Id', value: '<m1@example.org>' },
    ],
    body: { data: Buffer.from('Shall we meet?').toString('base64url') },
  },
};

/** The parts of Google that the adapter calls: the keys of its tokens, and one mailbox with one mail. */
async function fakeGoogle(keys: object): Promise<Server> {
  const answer = ({ url = '', headers }: IncomingMessage): [number, object] => {
    if (url.startsWith('/certs')) return [200, { keys: [keys] }];
    if (headers.authorization !== `Bearer ${accessToken}`) return [401, {}];
    const path = url.replace('/gmail/v1/users/me/', '').split('?')[0];
    if (path === 'profile') return [200, { emailAddress: mailbox }];
    if (path === 'messages') return [200, { messages: [{ id: mail.id }] }];
    return path === `messages/${mail.id}` ? [200, mail] : [404, {}];
  };
  const server = createServer((request, response) => {
    const [status, body] = answer(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe('the Gmail App, with an account and the settings of its pushes as two credentials', () => {
  let system: System;
  let google: Server;
  let app: InstalledApp & { missing: string[] };
  let push: (subject: string) => Promise<Response>;

  beforeAll(async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256');
    google = await fakeGoogle({ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' });
    const origin = `http://127.0.0.1:${(google.address() as AddressInfo).port}`;
    system = await startSmallSystem({ GATEHOUSE_GMAIL_API_URL: origin, GATEHOUSE_GOOGLE_JWKS_URL: `${origin}/certs` });
    push = async (email) => {
      const token = await new SignJWT({ email, email_verified: true })
        .setProtectedHeader({ alg: 'RS256', kid: 'k1', typ: 'JWT' })
        .setIssuer('https://accounts.google.com')
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(privateKey);
      const data = Buffer.from(JSON.stringify({ emailAddress: mailbox, historyId: '42' })).toString('base64');
      return fetch(app.webhook_url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ message: { data, messageId: '1', publishTime: new Date().toISOString() } }),
      });
    };
    const url = `${system.origin('adapters')}/gmail`;
    await system.api('POST', '/api/v1/adapters', { url });
    app = await system.api('POST', '/api/v1/listings/gmail/install', {});
  });
  afterAll(async () => {
    await system?.stop();
    google?.closeAllConnections();
    await new Promise((resolve) => (google ? google.close(resolve) : resolve(null)));
  });

  it('says what it lacks, and accepts one record for each declaration', async () => {
    expect(app.missing).toEqual(['GMAIL_OAUTH']);
    const verify = (): Promise<object> => system.api('POST', `/api/v1/apps/${app.id}/verify`);
    expect(await verify()).toMatchObject({ ok: false, code: 'missing_credentials', missing: ['GMAIL_OAUTH'] });
    const fields = { client_id: 'gatehouse', client_secret: 'a client secret', access_token: accessToken };
    const oauth = await system.api<{ id: string }>('POST', '/api/v1/credentials', {
      name: 'mailbox',
      type: 'oauth2',
      grant: 'authorization_code',
      fields,
    });
    const pushes = await system.credential({ pubsub_audience: audience, pubsub_service_account: account });
    const credentials = {
      GMAIL_OAUTH: oauth.id,
      GMAIL_PUSH_AUDIENCE: pushes,
      GMAIL_PUSH_SERVICE_ACCOUNT: pushes,
    };
    expect(await system.api('PATCH', `/api/v1/apps/${app.id}`, { credentials })).toMatchObject({ missing: [] });
    expect(await verify()).toMatchObject({ ok: true, user: mailbox });
    for (const id of [oauth.id, pushes]) {
      await expect(system.api('DELETE', `/api/v1/credentials/${id}`)).rejects.toThrow(/credential_in_use/);
    }
  });

  it('receives: a push that Google signed fetches the mail behind it', async () => {
    await system.api('PUT', `/api/v1/channels/${app.id}`, { unknown_senders: 'open' });
    const answer = await push(account);
    expect(answer.status).toBe(204);
    const id = answer.headers.get('location')?.split('/').at(-1) ?? '';
    const { messages, timeline } = await system.ended(id);
    expect(timeline.find(({ stage }) => stage === 'verified')).toMatchObject({ outcome: 'ok', reason: 'jwt' });
    expect(messages.map(({ message }) => [message.event_type, message.message])).toEqual(
      expect.arrayContaining([['email_received', expect.stringContaining('Shall we meet?')]]),
    );
  });

  it('refuses a push of another account', async () => {
    const answer = await push('eve@project.iam.gserviceaccount.com');
    const id = answer.headers.get('location')?.split('/').at(-1) ?? '';
    expect(await system.ended(id)).toMatchObject({ outcome: 'refused' });
  });
});
