import { createEgress } from '#libs/egress';
import { TEST_CERTIFICATE, TEST_KEY } from '#libs/testing';
import { createServer } from 'node:http';
import { createServer as createSocketServer, type AddressInfo, type Server } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { SMTPServer } from 'smtp-server';
import { boundTo, credentialOf } from '../../../testing/bound-to.js';
import type { CredentialFields } from '../bound-credentials.js';
import type { CallSite } from '../tool.js';
import { sendEmail } from './send-email.tool.js';
import { webSearch } from './web-search.tool.js';

const egress = createEgress({ allow: ['127.0.0.1', 'localhost'] });
const call: CallSite = {
  turn: {
    organizationId: 'org_1',
    projectId: 'prj_1',
    turnId: 'trn_1',
    receiptId: 'evt_1',
    appId: 'app_1',
    sessionId: null,
    agentId: 'agt_1',
    contactId: null,
    sender: 'ada',
    trust: 'known',
    trusted: true,
    isPrivate: false,
    rehearsal: false,
    reply: null,
    takesFiles: false,
    calledBy: null,
    attachments: [],
    startedBy: [],
  },
  claim: { turn_id: 'trn_1', claim: 1 },
  ref: '1.call_0',
  waited: false,
  mayDo: 'write',
  window: 'own',
  hosts: null,
  callbackToken: '',
  say: () => undefined,
  imageBytes: 0,
  show: () => undefined,
  signal: new AbortController().signal,
};
const bound = (fields: CredentialFields) => boundTo(credentialOf(fields));

afterAll(() => egress.close());

describe('send_email', () => {
  const mails: { to: string[]; raw: string; user: string | null }[] = [];
  let answer: 'take' | 'refuse' | 'vanish' = 'take';
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString();
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), raw, user: session.user ?? null });
        if (answer === 'take') done();
        else if (answer === 'refuse') done(Object.assign(new Error('no'), { responseCode: 554 }));
        else for (const connection of server.connections) connection.close();
      });
    },
  });
  const port = () => (server.server.address() as AddressInfo).port;
  const tool = sendEmail(egress, 2_000);
  const fields = (): CredentialFields => ({
    host: '127.0.0.1',
    port: String(port()),
    from: 'desk@example.com',
    encryption: 'none',
  });
  const send = (over: CredentialFields = {}, args = {}) =>
    tool.run(
      { to: ['ada@example.com'], subject: 'Tea', text: 'At four.', ...args },
      call,
      bound({ ...fields(), ...over }),
    );

  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  beforeEach(() => {
    mails.length = 0;
    answer = 'take';
  });
  afterAll(() => new Promise<void>((resolve) => server.close(resolve)));

  it('sends one mail from the account of the credential', async () => {
    const result = await send({}, { cc: ['bob@example.com'], subject: 'Tea\r\nBcc: eve@example.com' });
    expect(result).toEqual({
      note: 'This mail was sent to 127.0.0.1 without a login: the credential only has no username and no password.',
      accepted: ['ada@example.com', 'bob@example.com'],
      message_id: expect.stringMatching(/^<\w{32}@gatehouse>$/),
    });
    expect(mails[0]?.to).toEqual(['ada@example.com', 'bob@example.com']);
    expect(mails[0]?.raw).toContain('From: desk@example.com');
    expect(mails[0]?.raw).not.toMatch(/^Bcc:/m);
    // The same call has the same message id, so that duplicates can be recognised.
    expect(await send()).toMatchObject({ message_id: (result as { message_id: string }).message_id });
  });

  it('distinguishes a refusal from a mail with an unknown outcome', async () => {
    answer = 'refuse';
    expect(await send()).toMatchObject({ error: { code: 'mail_refused' } });
    answer = 'vanish';
    expect(await send()).toMatchObject({ error: { code: 'outcome_unknown' } });
  });

  it('sends no password without encryption, and requires STARTTLS by itself', async () => {
    expect(await send({ username: 'u', password: 'p' })).toMatchObject({ error: { code: 'no_credential' } });
    const { encryption: _none, ...upgraded } = fields();
    const result = await tool.run({ to: ['a@b.c'], subject: 's', text: 't' }, call, bound(upgraded));
    expect(result).toHaveProperty('error');
    expect(mails).toEqual([]);
  });

  it('says that it did not log in, and which field is missing', async () => {
    const result = await send({ username: 'desk' });
    expect(tool.noted?.(result)).toBe(
      'This mail was sent to 127.0.0.1 without a login: the credential only has no password.',
    );
    expect(mails[0]?.user).toBeNull();
  });

  it('logs in also where the server announces no login, so that no mail goes out without it', async () => {
    const silent = new SMTPServer({
      secure: true,
      key: TEST_KEY,
      cert: TEST_CERTIFICATE,
      disabledCommands: ['AUTH'],
      onData: (stream, _session, done) => stream.resume().on('end', done),
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const trusted = getCACertificates();
    setDefaultCACertificates([...trusted, TEST_CERTIFICATE]);
    const { port: at } = silent.server.address() as AddressInfo;
    const login = { host: 'localhost', port: String(at), encryption: 'tls', username: 'u', password: 'p' };
    const result = await send(login).finally(() => setDefaultCACertificates(trusted));
    await new Promise<void>((resolve) => silent.close(resolve));
    expect(result).toMatchObject({ error: { code: 'mail_login_refused' } });
  });

  it('uses only the servers that its Skill binds the account to', async () => {
    const to = (host: string) =>
      tool.run({ to: ['a@b.c'], subject: 's', text: 't' }, call, boundTo(credentialOf(fields(), { hosts: [host] })));
    expect(await to('mail.example.com')).toMatchObject({ error: { code: 'credential_not_for_host' } });
    expect(mails).toEqual([]);
    expect(await to('127.0.0.1')).toHaveProperty('accepted');
    expect(await to(`127.0.0.1:${port()}`)).toHaveProperty('accepted');
  });

  it('says what it needs when the credential is of another type', async () => {
    const key = credentialOf({ token: 'k' }, { as: 'crm', type: 'api_key', hosts: ['crm.example.com'] });
    const result = await tool.run({ to: ['a@b.c'], subject: 's', text: 't' }, call, boundTo(key));
    expect(result).toMatchObject({
      error: { code: 'no_credential', message: expect.stringContaining('crm (api_key)') },
    });
  });

  it('connects to no blocked address, and times out on a silent one', async () => {
    expect(await send({ host: '169.254.169.254', port: '25' })).toMatchObject({ error: { code: 'blocked_address' } });
    const silent: Server = createSocketServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const quick = sendEmail(egress, 200);
    const mute = { ...fields(), port: String((silent.address() as AddressInfo).port) };
    const result = await quick.run({ to: ['a@b.c'], subject: 's', text: 't' }, call, bound(mute));
    expect(result).toMatchObject({ error: { code: 'mail_failed' } });
    silent.close();
  });
});

describe('web_search', () => {
  const requests: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = [];
  let answer: { status: number; body: string } = { status: 200, body: '' };
  let redirect: string | null = null;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      if (redirect && url !== '/elsewhere') response.writeHead(302, { location: redirect }).end();
      else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
    });
  });
  const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tool = webSearch(egress, 2_000);
  const search = (fields: CredentialFields) =>
    tool.run({ query: 'tea & cake', count: 2 }, call, bound({ base_url: base(), ...fields }));
  const hit = (key: string) => ({ title: 'Tea', url: 'https://tea.test/', [key]: 'Hot.' });
  const results = { results: [{ title: 'Tea', url: 'https://tea.test/', excerpt: 'Hot.' }] };

  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  beforeEach(() => {
    requests.length = 0;
    redirect = null;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('gives the results of SearXNG, and says that its key went unused', async () => {
    answer = { status: 200, body: JSON.stringify({ results: [hit('content')] }) };
    expect(await search({ provider: 'searxng' })).toEqual(results);
    expect(await search({ provider: 'searxng', api_key: 'k0' })).toEqual({
      note: expect.stringMatching(/without the secret of the credential only: SearXNG takes no key/),
      ...results,
    });
    expect(requests[0]).toMatchObject({ method: 'GET', url: '/search?q=tea+%26+cake&format=json' });
  });

  it('gives the results of Brave, asked with the key in its header', async () => {
    answer = { status: 200, body: JSON.stringify({ web: { results: [hit('description')] } }) };
    expect(await search({ provider: 'brave', api_key: 'k1' })).toEqual(results);
    expect(requests[0]).toMatchObject({
      url: '/res/v1/web/search?q=tea+%26+cake&count=2',
      headers: { 'x-subscription-token': 'k1' },
    });
  });

  it('gives as many results of Tavily as were asked for, asked with the key as a bearer token', async () => {
    answer = { status: 200, body: JSON.stringify({ results: [hit('content'), hit('content'), hit('content')] }) };
    expect(((await search({ provider: 'tavily', api_key: 'k2' })) as typeof results).results).toHaveLength(2);
    expect(requests[0]).toMatchObject({ method: 'POST', url: '/search', headers: { authorization: 'Bearer k2' } });
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ query: 'tea & cake', max_results: 2 });
  });

  it('says that a search went without its key, because there is none or it was redirected', async () => {
    answer = { status: 200, body: JSON.stringify({ web: { results: [hit('description')] } }) };
    const keyless = await search({ provider: 'brave' });
    expect(keyless).toEqual({ note: expect.stringContaining('without a key: the credential only has no'), ...results });
    expect(tool.noted?.(keyless)).toContain('without a key');
    answer = { status: 401, body: '{}' };
    expect(await search({ provider: 'brave' })).toMatchObject({
      error: { code: 'search_failed' },
      note: expect.stringContaining('without a key'),
    });
    answer = { status: 200, body: JSON.stringify({ web: { results: [hit('description')] } }) };
    redirect = `${base().replace('127.0.0.1', 'localhost')}/elsewhere`;
    expect(await search({ provider: 'brave', api_key: 'k1' })).toEqual({
      note: expect.stringMatching(/redirected to localhost:\d+, without the credential only/),
      ...results,
    });
    expect(requests.at(-1)?.headers).not.toHaveProperty('x-subscription-token');
  });

  it.each([
    [{ status: 429, body: '{}' }, 'search_failed'],
    [{ status: 200, body: '<html>' }, 'search_failed'],
    [{ status: 200, body: '{"results": 7}' }, 'search_failed'],
  ])('reports what it cannot use: %j', async (given, code) => {
    answer = given;
    expect(await search({ provider: 'searxng' })).toMatchObject({ error: { code } });
  });

  it.each([
    ['api_key', { token: 'k3' }],
    ['oauth2', { access_token: 'k3', client_id: 'c' }],
  ])('sends the key of an %s to the host that it is bound to', async (type, fields) => {
    answer = { status: 200, body: JSON.stringify({ web: { results: [hit('description')] } }) };
    const host = base().slice('http://'.length);
    const key = (over: object) => credentialOf({ ...fields, base_url: base() }, { type, ...over });
    const run = (over: object) => tool.run({ query: 'tea', count: 2 }, call, boundTo(key(over)));
    expect(await run({ hosts: ['api.search.brave.com', host] })).toEqual(results);
    expect(requests[0]?.headers).toMatchObject({ 'x-subscription-token': 'k3' });
    expect(await run({ hosts: ['api.search.brave.com'] })).toMatchObject({
      error: { code: 'credential_not_for_host' },
    });
    const refused = (await run({ hosts: ['crm.example.com'] })) as { error: { message: string } };
    expect(refused.error.message).toContain('bind it to api.search.brave.com or api.tavily.com');
    expect(requests).toHaveLength(1);
  });

  it('answers no_credential for a provider that it does not know', async () => {
    expect(await search({ provider: 'constructor' })).toMatchObject({ error: { code: 'no_credential' } });
  });
});
