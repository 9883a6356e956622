import { testPool, until } from '#libs/testing';
import { Redis } from 'ioredis';
import { Webhook } from 'standardwebhooks';
import type { EventDetail, InstalledApp } from './api.js';
import { openSink, type Sink } from './sink.js';
import { startSystem, type System } from './system.js';
import { hmac, post } from './webhook.js';

describe('the path of a message', () => {
  let system: System;
  let sink: Sink;

  beforeAll(async () => {
    sink = await openSink();
    system = await startSystem();
    await repliesTo(system.appId, '/built-in');
  });
  afterAll(async () => {
    await system?.stop();
    await sink.close();
  });

  const repliesTo = (appId: string, path: string): Promise<unknown> =>
    system.api('PUT', `/api/v1/channels/${appId}`, { reply_address: `${sink.url}${path}` });
  const install = (body: object): Promise<InstalledApp> => system.api<InstalledApp>('POST', '/api/v1/apps', body);
  const replyTo = (eventId: string) => until(`a reply to ${eventId} arrives`, () => sink.repliesTo(eventId)[0]);
  const workflow = async (instructions: string): Promise<number> =>
    (await system.api<{ id: number }>('POST', '/api/v1/workflows', { name: instructions.slice(0, 50), instructions }))
      .id;

  it('leads from a webhook through the Chief of Staff to a reply', async () => {
    const { status, id } = await post(system.webhookUrl, { task: 'Is the build green?', metadata: { source: 'ci' } });
    expect(status).toBe(200);
    const reply = await replyTo(id);
    expect(reply.path).toBe('/built-in');
    expect(reply.json['text']).toContain('Message from ci: "Is the build green?"');
    expect(reply.headers['idempotency-key']).toBe(reply.json['delivery_id']);
  });

  it('takes three jobs between processes where the payload is simple', async () => {
    const redis = new Redis(system.redisUrl);
    const made = async (): Promise<number> => {
      const counts = await Promise.all(
        ['inbound', 'route', 'turns', 'outbound'].map((queue) => redis.get(`{gatehouse:q:${queue}}:${queue}:id`)),
      );
      return counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
    };
    const before = await made();
    const { id } = await post(system.webhookUrl, { task: 'counted' });
    await system.reached(id, 'delivery', 'delivered');
    expect((await made()) - before).toBe(3);
    redis.disconnect();
  });

  it('is recorded, stage by stage', async () => {
    const { id } = await post(system.webhookUrl, { task: 'for the record' });
    const event = await system.reached(id, 'delivery', 'delivered');
    const story = event.timeline.map(({ service, stage, outcome }) => `${service} ${stage} ${outcome}`);
    expect(story).toEqual(
      expect.arrayContaining([
        'webhook-ingress received accepted',
        'adapter-gateway parsed ok',
        'router routed routed',
        'engine turn succeeded',
        'adapter-gateway delivery delivered',
      ]),
    );
    expect(event.outcome).toBe('routed');
    expect(event.timeline.filter(({ terminal }) => terminal)).toHaveLength(1);
    const of = (stage: string) => event.timeline.find((entry) => entry.stage === stage);
    expect(of('routed')).toMatchObject({
      subject_id: event.messages[0]?.id,
      attempt: 1,
      duration_ms: expect.any(Number),
      detail: { event_type: 'webhook_received', sender: 'webhook', messages: 1, verdicts: [], chief_of_staff: 'taken' },
    });
    const delivery_id = of('delivery')?.subject_id;
    expect(of('turn')).toMatchObject({ attempt: 1, reason: null, detail: { reply: 'sent', steps: 2, delivery_id } });
    expect(of('delivery')).toMatchObject({ attempt: 1, reason: null, detail: null });
  });

  it('writes no row into the journal for what went well: its entries lie in the rows that they are about', async () => {
    const { id } = await post(system.webhookUrl, { task: 'kept once' });
    const { timeline } = await system.reached(id, 'delivery', 'delivered');
    expect(timeline.length).toBeGreaterThan(3);
    const database = testPool(system.databaseUrl);
    const { rows } = await database.query('SELECT stage, outcome FROM journal.entry WHERE receipt_id = $1', [id]);
    await database.end();
    expect(rows).toEqual([]);
  });

  it('leads through the workflow that the payload names, and nowhere else', async () => {
    const workflow_id = await workflow('reply: workflow saw {{message}}');
    const { id } = await post(system.webhookUrl, { workflow_id, task: 'nightly' });
    expect((await replyTo(id)).json['text']).toBe('workflow saw nightly');
    const event = await until('the run succeeded', async () => {
      const detail = await system.ended(id);
      return detail.runs[0]?.state === 'succeeded' ? detail : null;
    });
    expect(event.runs).toMatchObject([{ workflow_id, replay: false }]);
    expect(sink.repliesTo(id)).toHaveLength(1);
  });

  it('starts the workflows whose triggers name its event type', async () => {
    const app = await install({ name: 'triggers', kind: 'builtin' });
    await system.api('PUT', `/api/v1/channels/${app.id}`, { route_policy: 'triggers' });
    const workflow_id = await workflow('reply: triggered');
    const event_types = ['invoice.paid'];
    await system.api('POST', '/api/v1/triggers', { app_id: app.id, workflow_id, event_types });
    const send = (event_type: string) => post(app.webhook_url, { task: 'x', metadata: { event_type } });
    const paid = await system.ended((await send('invoice.paid')).id);
    expect(paid).toMatchObject({ outcome: 'routed', runs: [{ workflow_id }] });
    expect(await system.ended((await send('invoice.sent')).id)).toMatchObject({ outcome: 'no_match', runs: [] });
  });

  it('is signed in both directions', async () => {
    const secret = 'a secret for both ways';
    const app = await install({
      name: 'signed',
      kind: 'builtin',
      credential_id: await system.credential({ signing_secret: secret }),
      signature: { scheme: 'hmac' },
    });
    await repliesTo(app.id, '/signed');
    const body = JSON.stringify({ task: 'signed, please' });
    const { status, id } = await post(app.webhook_url, body, { 'x-signature-256': hmac(secret, body) });
    expect(status).toBe(200);
    const reply = await replyTo(id);
    expect(reply.headers['x-signature-256']).toBe(hmac(secret, reply.body));
  });

  it('has one run per Idempotency-Key, however often it comes', async () => {
    const workflow_id = await workflow('reply: once');
    const send = () => post(system.webhookUrl, { workflow_id, task: 'charge' }, { 'idempotency-key': 'charge-1' });
    const answers = await Promise.all([send(), send(), send()]);
    const first = await send();
    expect(first).toMatchObject({ status: 200, body: { received: true, duplicate: true } });
    expect(new Set([first, ...answers].map(({ id }) => id)).size).toBe(1);
    expect(answers.filter(({ body }) => body['duplicate'] !== true)).toHaveLength(1);
    await system.reached(first.id, 'delivery', 'delivered');
    const { data } = await system.api<{ data: unknown[] }>('GET', `/api/v1/runs?workflow_id=${workflow_id}`);
    expect(data).toHaveLength(1);
    expect(sink.repliesTo(first.id)).toHaveLength(1);
  });

  it('is repeated for a replay, which replies only when asked to', async () => {
    const workflow_id = await workflow('reply: again');
    const { id } = await post(system.webhookUrl, { workflow_id, task: 'once more' });
    await system.reached(id, 'delivery', 'delivered');
    const replay = async (deliver: boolean): Promise<EventDetail> => {
      const { run_ids } = await system.api<{ run_ids: string[] }>('POST', `/api/v1/events/${id}/replay`, { deliver });
      return until('the replay succeeded', async () => {
        const event = await system.ended(id);
        return event.runs.some((run) => run.id === run_ids[0] && run.state === 'succeeded') ? event : null;
      });
    };
    expect((await replay(false)).runs.filter((run) => run.replay)).toHaveLength(1);
    expect((await replay(true)).runs.filter((run) => run.replay)).toHaveLength(2);
    await until('the second replay replied', () => sink.repliesTo(id).length === 2);
    expect((await system.ended(id)).timeline.filter(({ outcome }) => outcome === 'replayed')).toHaveLength(2);
  });

  it('waits while the App is paused', async () => {
    const app = await install({ name: 'paused', kind: 'builtin' });
    await repliesTo(app.id, '/paused');
    const set = (state: string) => system.api('PATCH', `/api/v1/apps/${app.id}`, { state });
    await set('paused');
    const held = await until('the pause is known', async () => {
      const { id } = await post(app.webhook_url, { task: 'hold this' });
      const event = await until('it is journaled', () => system.api<EventDetail>('GET', `/api/v1/events/${id}`));
      return event.timeline.some(({ outcome }) => outcome === 'held') ? event : null;
    });
    expect(held.outcome).toBeNull();
    await set('active');
    expect((await replyTo(held.id)).path).toBe('/paused');
    expect(await system.ended(held.id)).toMatchObject({ outcome: 'routed' });
  });

  describe('through an adapter', () => {
    const secret = `whsec_${Buffer.from('a secret that both ends know').toString('base64')}`;
    let app: InstalledApp;

    beforeAll(async () => {
      const url = `${system.origin('adapters')}/generic`;
      const adapter = await system.api<{ id: string; state: string }>('POST', '/api/v1/adapters', { url });
      expect(adapter.state).toBe('ready');
      app = await install({
        name: 'generic',
        kind: 'adapter',
        adapter_id: adapter.id,
        credential_id: await system.credential({ signing_secret: secret }),
      });
      await system.api('PUT', `/api/v1/channels/${app.id}`, { unknown_senders: 'open' });
    });

    const arrived = (path: string) =>
      until(`a reply at ${path} arrives`, () => sink.arrivals.find((arrival) => arrival.path === path));
    const standard = (id: string, body: string, at = new Date()): Record<string, string> => ({
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    });

    it('is verified by Standard Webhooks, and answered under the same signature', async () => {
      const reply_to = `${sink.url}/standard`;
      const body = JSON.stringify({ sender: 'jane', message: 'hello', id: '1', thread_id: 'release-7', reply_to });
      const { status, id } = await post(app.webhook_url, body, standard('msg_1', body));
      expect(status).toBe(200);
      const reply = await arrived('/standard');
      const signed = new Webhook(secret).verify(reply.body, reply.headers as Record<string, string>);
      expect(signed).toMatchObject({ thread_id: 'release-7', in_reply_to: '1' });
      const event = await system.reached(id, 'delivery', 'delivered');
      expect(event.timeline).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ stage: 'verified', outcome: 'ok', reason: 'standard-webhooks' }),
        ]),
      );
    });

    it('is verified by X-Signature-256', async () => {
      const body = JSON.stringify({ message: 'hello', id: '2', reply_to: `${sink.url}/hmac` });
      const { id } = await post(app.webhook_url, body, { 'x-signature-256': hmac(secret, body) });
      const reply = await arrived('/hmac');
      expect(reply.headers['x-signature-256']).toBe(hmac(secret, reply.body));
      expect(await system.ended(id)).toMatchObject({ outcome: 'routed' });
    });

    it('waits for somebody to admit its sender where unknown senders are held', async () => {
      const held = (unknown_senders: string): Promise<unknown> =>
        system.api('PUT', `/api/v1/channels/${app.id}`, { unknown_senders });
      await held('hold');
      const body = JSON.stringify({
        sender: 'stranger',
        message: 'let me in',
        id: '9',
        reply_to: `${sink.url}/admitted`,
      });
      const { id } = await post(app.webhook_url, body, { 'x-signature-256': hmac(secret, body) });
      expect(await system.ended(id)).toMatchObject({ outcome: 'held_unknown_sender' });
      const { data } = await system.api<{ data: { id: string; name: string }[] }>(
        'GET',
        '/api/v1/contacts?status=unknown',
      );
      const stranger = data.find(({ name }) => name === 'stranger');
      await system.api('POST', `/api/v1/contacts/${stranger?.id}/admit`, {});
      expect((await arrived('/admitted')).json['text']).toContain('let me in');
      expect((await system.ended(id)).timeline.filter(({ terminal }) => terminal)).toHaveLength(1);
      await held('open');
    });

    it('ends as refused where the signature is wrong', async () => {
      const body = JSON.stringify({ message: 'hello', id: '3' });
      const { id } = await post(app.webhook_url, body, { 'x-signature-256': hmac('another', body) });
      expect(await system.ended(id)).toMatchObject({ outcome: 'refused', reason: 'bad_signature', messages: [] });
    });

    it('ends as dropped_bot where our own reply comes back', async () => {
      const body = JSON.stringify({ message: 'ping', id: '4', reply_to: `${sink.url}/echo` });
      await post(app.webhook_url, body, standard('msg_4', body));
      const reply = await arrived('/echo');
      const before = sink.arrivals.length;
      const echo = await post(app.webhook_url, reply.body, standard('msg_5', reply.body));
      expect(await system.ended(echo.id)).toMatchObject({ outcome: 'dropped_bot', runs: [] });
      expect(sink.arrivals).toHaveLength(before);
    });

    it('ends as duplicate where its dedup_key is known, under whatever delivery id', async () => {
      const body = JSON.stringify({ message: 'twice', id: '6', reply_to: `${sink.url}/twice` });
      const first = await post(app.webhook_url, body, standard('msg_6', body));
      expect(await system.ended(first.id)).toMatchObject({ outcome: 'routed' });
      const second = await post(app.webhook_url, body, standard('msg_7', body));
      expect(second.id).not.toBe(first.id);
      expect(await system.ended(second.id)).toMatchObject({ outcome: 'duplicate', runs: [] });
      await arrived('/twice');
      expect(sink.arrivals.filter(({ path }) => path === '/twice')).toHaveLength(1);
    });
  });

  it('led no service beyond its own queues and schema', async () => {
    expect(await system.refusedByRedis()).toEqual([]);
    expect(system.logs()).not.toMatch(/permission denied|NOPERM/);
  });
});
