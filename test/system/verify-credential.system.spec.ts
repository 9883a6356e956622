import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startSmallSystem, type System } from './system.js';

interface Credential {
  id: string;
  status: string;
  reason: string | null;
  account: { id: string; name: string } | null;
}

/** The answer of the fake of Slack's Web API; status 503 means Slack is down. */
const accepted = {
  status: 200,
  body: { ok: true, user_id: 'U1', user: 'gatehouse', bot_id: 'B1', team_id: 'T1' },
};
const refused = { status: 200, body: { ok: false, error: 'token_revoked' } };
const down = { status: 503, body: {} };

describe('a credential that is verified through the gateway and its adapter', () => {
  let slack: Server;
  let system: System;
  let answer: { status: number; body: object } = accepted;
  const asked: string[] = [];

  beforeAll(async () => {
    slack = createServer((request, response) => {
      asked.push(`${request.url} ${request.headers.authorization}`);
      request.resume();
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
    });
    await new Promise<void>((resolve) => slack.listen(0, '127.0.0.1', resolve));
    const { port } = slack.address() as AddressInfo;
    system = await startSmallSystem({ GATEHOUSE_SLACK_API_URL: `http://127.0.0.1:${port}` });
    for (const slug of ['slack', 'generic']) {
      await system.api('POST', '/api/v1/adapters', { url: `${system.origin('adapters')}/${slug}` });
    }
  });
  afterAll(async () => {
    await system?.stop();
    slack.close();
    slack.closeAllConnections();
  });
  beforeEach(() => {
    answer = accepted;
  });

  const save = (name: string, adapterSlug: string, fields: object): Promise<Credential> =>
    system.api('POST', '/api/v1/credentials', { name, type: 'text', adapter_slug: adapterSlug, fields });
  const verify = ({ id }: Credential): Promise<object> => system.api('POST', `/api/v1/credentials/${id}/verify`);
  const read = ({ id }: Credential): Promise<Credential> => system.api('GET', `/api/v1/credentials/${id}`);

  it('is checked when it is saved, and shows whose it is', async () => {
    const saved = await save('slack', 'slack', { token: 'xoxb-saved', signing_secret: 'a-secret' });
    expect(saved).toMatchObject({ status: 'active', reason: null, account: { id: 'U1', name: 'gatehouse' } });
    expect(asked).toContain('/auth.test Bearer xoxb-saved');
  });

  it('is disabled when its provider refuses it, and active again when the provider accepts it', async () => {
    const saved = await save('refused', 'slack', { token: 'xoxb-refused' });
    answer = refused;
    const reason = 'The provider does not accept the credentials: token_revoked';
    expect(await verify(saved)).toMatchObject({ ok: false, status: 'invalid', code: 'auth_failed', reason });
    answer = accepted;
    expect(await verify(saved)).toMatchObject({ ok: true, status: 'active', reason: null });
  });

  it('stays unchanged while its provider is down', async () => {
    const saved = await save('down', 'slack', { token: 'xoxb-down' });
    answer = down;
    const reason = expect.stringMatching(/^not verified: The provider did not give a valid answer/);
    expect(await verify(saved)).toMatchObject({ ok: false, status: 'active', code: 'provider_unavailable', reason });
    expect(await read(saved)).toMatchObject({ status: 'active', reason });
    expect(await save('down at first', 'slack', { token: 'xoxb-new' })).toMatchObject({ status: 'active', reason });
  });

  it('is refused for its form by an adapter without a provider', async () => {
    expect(await save('generic', 'generic', { signing_secret: 'a-secret' })).toMatchObject({ status: 'active' });
    const wrong = await save('wrong', 'generic', { token: 'two\nlines' });
    expect(wrong).toMatchObject({
      status: 'invalid',
      reason: expect.stringContaining('token must be text of visible ASCII characters'),
    });
  });
});
