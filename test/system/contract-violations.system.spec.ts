import { until } from '#libs/testing';
import type { InstalledApp } from './api.js';
import { openPlainAdapter, type PlainAdapter } from './plain-adapter.js';
import { startSmallSystem, type System } from './system.js';
import { post } from './webhook.js';

interface DeadLetter {
  stage: string;
  reason: string;
  error: string;
  receipt_id: string;
}

describe('an adapter in plain Node', () => {
  let system: System;
  let adapter: PlainAdapter;
  let adapterId: string;
  let app: InstalledApp;

  beforeAll(async () => {
    adapter = await openPlainAdapter('plain');
    system = await startSmallSystem({ HEALTH_POLL_MS: '500' });
    adapterId = (await system.api<{ id: string }>('POST', '/api/v1/adapters', { url: adapter.url })).id;
    app = await system.api<InstalledApp>('POST', '/api/v1/listings/plain/install', {});
    await system.api('PUT', `/api/v1/channels/${app.id}`, { unknown_senders: 'open' });
  });
  afterAll(async () => {
    await system?.stop();
    await adapter.close();
  });
  beforeEach(() => {
    adapter.calls.length = 0;
    adapter.answers['verify-webhook'] = () => ({ ok: true });
    adapter.answers['parse-inbound'] = () => ({ sender: 'ada', message: 'hello' });
  });

  const routes = (): string[] => adapter.calls.map(({ route }) => route).filter((route) => route !== 'health');
  const letterOf = (id: string): Promise<DeadLetter> =>
    until('there is a dead letter', async () => {
      const { data } = await system.api<{ data: DeadLetter[] }>('GET', '/api/v1/events/dead-letters');
      return data.find(({ receipt_id: receipt }) => receipt === id);
    });
  const shows = (violation: string): Promise<unknown> =>
    until('the page of the adapter shows it', async () => {
      const page = await system.api<{ violation: string | null }>('GET', `/api/v1/adapters/${adapterId}`);
      return page.violation === violation;
    });

  it('may omit event_type and is_bot for the Chief of Staff, and gets the whole URL and whose call it is', async () => {
    const { id } = await post(`${app.webhook_url}?a=1&a=2`, { text: 'hello' });
    expect(await system.ended(id)).toMatchObject({ outcome: 'routed' });
    const parse = adapter.calls.find(({ route }) => route === 'parse-inbound');
    expect(parse?.body.request).toMatchObject({
      url: `${app.webhook_url}?a=1&a=2`,
      path: app.webhook_path,
      query: { a: ['1', '2'] },
    });
    await until('its health was requested', () => adapter.calls.some(({ route }) => route === 'health'));
    for (const { headers } of adapter.calls) {
      expect(headers['x-organization-id']).toMatch(/^org_/);
      expect(headers['x-project-id']).toMatch(/^prj_/);
    }
  });

  it('breaks the contract with a wrong type: a dead letter after one attempt, shown in the portal', async () => {
    adapter.answers['parse-inbound'] = () => ({ event_type: 'x', sender: 'ada', message: 'hi', is_bot: 'true' });
    const { id } = await post(app.webhook_url, { text: 'hello' });
    const violation = '/parse-inbound: is_bot must be true or false, not a text';
    expect(await letterOf(id)).toMatchObject({ stage: 'parsed', reason: 'contract_violation', error: violation });
    await shows(violation);
    expect(routes()).toEqual(['verify-webhook', 'parse-inbound']);
  });

  it('asks no trigger without what triggers need, and breaks the contract where only triggers listen', async () => {
    const workflow = await system.api<{ id: number }>('POST', '/api/v1/workflows', {
      name: 'w',
      instructions: 'reply: x',
    });
    const trigger = await system.api<{ warnings: { code: string; message: string }[] }>('POST', '/api/v1/triggers', {
      app_id: app.id,
      workflow_id: workflow.id,
    });
    expect(trigger.warnings).toMatchObject([
      {
        code: 'messages_without_event_type',
        message: expect.stringContaining('messages of the App plain (inbound) had no'),
      },
    ]);
    adapter.answers['parse-inbound'] = () => ({ event_type: 'note', sender: 'ada', message: 'hello again' });
    const asked = await post(app.webhook_url, { text: 'hello' });
    expect(await system.ended(asked.id)).toMatchObject({ outcome: 'routed' });
    await system.api('PATCH', `/api/v1/channels/${app.id}`, { route_policy: 'triggers' });
    adapter.calls.length = 0;
    const { id } = await post(app.webhook_url, { text: 'hello' });
    const violation = '/parse-inbound: is_bot must be present, because triggers listen to this App';
    expect(await letterOf(id)).toMatchObject({ stage: 'routed', reason: 'contract_violation', error: violation });
    await shows(violation);
    expect(routes()).toEqual(['verify-webhook', 'parse-inbound']);
  });

  it('answers challenges that it accepts, before and after it was verified, and none that it refuses', async () => {
    adapter.answers['parse-inbound'] = (body) => ({
      challenge_response: (JSON.parse(body.request?.body ?? '') as { challenge: string }).challenge,
    });
    adapter.answers['verify'] = () => ({ ok: true, user: 'plain' });
    const challenge = (value: string): Promise<Response> =>
      fetch(app.webhook_url, { method: 'POST', body: JSON.stringify({ challenge: value }) });
    expect(await (await challenge('first')).text()).toBe('first');
    await system.api('POST', `/api/v1/apps/${app.id}/verify`);
    expect(await (await challenge('second')).text()).toBe('second');
    adapter.answers['verify-webhook'] = () => ({ ok: false, error: 'bad_signature' });
    adapter.calls.length = 0;
    expect((await challenge('third')).status).toBe(401);
    expect(routes()).toEqual(['verify-webhook']);
  });

  it('delays no message, however slow it is', async () => {
    let answer = (): void => undefined;
    const withheld = new Promise<object>((resolve) => (answer = () => resolve({ ok: true })));
    adapter.answers['verify-webhook'] = () => withheld;
    adapter.answers['parse-inbound'] = () => ({ event_type: 'note', sender: 'ada', message: 'slow', is_bot: false });
    const { status, id } = await post(app.webhook_url, { text: 'the challenge of the day' });
    expect(status).toBe(200);
    answer();
    expect(await system.ended(id)).toMatchObject({ outcome: 'routed' });
  });
});
