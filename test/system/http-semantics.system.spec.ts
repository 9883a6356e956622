import { until } from '#libs/testing';
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { EventDetail, InstalledApp } from './api.js';
import type { FakeAdapter } from './fake-adapter.js';
import { startSystem, type System } from './system.js';
import { hmac, post, postWithoutEnd, read } from './webhook.js';
import { installApps, mebibyte, openDeclared, secret, standardSecret, type WebhookApps } from './webhook-apps.js';

const endpointRate = 100;

let system: System;
let declared: FakeAdapter;
let apps: WebhookApps;

beforeAll(async () => {
  // A receipt that waits for half the lease is answered 503. The lease must allow for 400 concurrent requests on a busy
  // machine.
  system = await startSystem({ ENDPOINT_RATE_PER_SECOND: String(endpointRate), RECEIPT_LEASE_MS: '20000' });
  declared = await openDeclared();
  apps = await installApps(system, declared.url);
  const { disabled } = apps;
  await until('the ingress knows every App', async () => (await post(disabled.webhook_url, {})).status === 404);
});
afterAll(async () => {
  await system?.stop();
  await declared.close();
});

/** A JSON text of exactly that many bytes. */
const jsonOf = (bytes: number): Buffer => Buffer.from(`"${'x'.repeat(bytes - 2)}"`);
const story = async (id: string): Promise<EventDetail> =>
  until(`the event ${id} is in the journal`, () => system.api<EventDetail>('GET', `/api/v1/events/${id}`));

describe.each(['portal', 'webhook-ingress'])('a webhook at the %s', (door) => {
  const at = (path: string): string => `${system.origin(door)}${path}`;
  const webhook = (): string => at(system.webhookPath);
  const appUrl = (name: keyof typeof apps): string => at(apps[name].webhook_path);
  const signed = (body: string | Buffer, by = secret): Record<string, string> => ({
    'x-signature-256': hmac(by, body),
  });
  const key = (name: string): Record<string, string> => ({ 'idempotency-key': `${door} ${name}` });

  it('is accepted with 200, its id and the address of its event', async () => {
    const answer = await post(webhook(), { task: 'hello' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ received: true, id: expect.stringMatching(/^evt_[0-9a-f]{12}[0-9a-z]{10}$/) });
    expect(answer.headers.get('location')).toBe(`/api/v1/events/${answer.id}`);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it.each([
    ['a body of one byte', Buffer.from('1')],
    ['a body of 1 MiB', jsonOf(mebibyte)],
    ['duplicate keys', Buffer.from('{"a":1,"a":2}')],
    ['as many levels as are taken', Buffer.from('['.repeat(100) + ']'.repeat(100))],
    ['U+0000 and a lone surrogate', Buffer.from('{"task":"a\\u0000b\\ud800c"}')],
  ])('with %s is accepted, and ends in a named outcome', async (_what, body) => {
    const { status, id } = await post(webhook(), body);
    expect(status).toBe(200);
    expect(await system.ended(id)).toMatchObject({ outcome: 'routed' });
  });

  it('passes its text on unchanged', async () => {
    const { id } = await post(webhook(), '{"a":1, "a":2}');
    expect((await system.ended(id)).messages).toMatchObject([{ message: { message: '{"a":1, "a":2}' } }]);
  });

  it('of type +json is accepted', async () => {
    expect(await post(webhook(), {}, { 'content-type': 'application/cloudevents+json' })).toMatchObject({
      status: 200,
    });
  });

  it('under a known key is a duplicate of the first', async () => {
    for (const header of ['idempotency-key', 'webhook-id']) {
      const headers = { [header]: `${door} again` };
      const first = await post(webhook(), { task: 'once' }, headers);
      const repeated = await post(webhook(), { task: 'once' }, headers);
      expect(first.body).toEqual({ received: true, id: first.id });
      expect(repeated).toMatchObject({ status: 200, body: { received: true, duplicate: true, id: first.id } });
    }
  });

  it('under a known key with another body is refused by the built-in App, and flagged for a provider', async () => {
    await post(webhook(), { task: 'one' }, key('reused'));
    const reused = await post(webhook(), { task: 'two' }, key('reused'));
    expect(reused).toMatchObject({ status: 422, body: { error: 'idempotency_key_reused' } });
    await post(appUrl('provider'), '{"n":1}', { ...signed('{"n":1}'), ...key('reused') });
    const kept = await post(appUrl('provider'), '{"n":2}', { ...signed('{"n":2}'), ...key('reused') });
    expect(kept).toMatchObject({ status: 200, body: { received: true } });
    const { timeline } = await story(kept.id);
    expect(timeline[0]).toMatchObject({ stage: 'received', reason: 'delivery_id_reused' });
  });

  it('that is a declared challenge is answered at once', async () => {
    const ask = (token: string) =>
      fetch(`${appUrl('provider')}?mode=subscribe&verify_token=${token}&challenge=echo%20me`);
    const right = await ask('right');
    expect([right.status, await right.text()]).toEqual([200, 'echo me']);
    expect(await read(await ask('wrong'))).toMatchObject({ status: 403, body: { error: 'wrong_verify_token' } });
  });

  it('with an unknown token is answered with 404 and one constant body', async () => {
    const paths = ['unknown', 'x'.repeat(43), 'a/b', `${system.webhookPath.split('/').at(-1)}/more`];
    const bodies = await Promise.all(
      paths.map(async (path) => {
        const answer = await fetch(at(`/api/v1/webhooks/${path}`), { method: 'POST', body: '{}' });
        return `${answer.status} ${await answer.text()}`;
      }),
    );
    expect(new Set(bodies).size).toBe(1);
    expect(bodies[0]).toMatch(/^404 \{"error":"not_found"/);
  });

  it('with a token that was rotated out, or of a retired App, is answered with 410', async () => {
    const app = await system.api<InstalledApp>('POST', '/api/v1/apps', { name: 'rotated', kind: 'builtin' });
    const open = (path: string) => async () => (await post(at(path), {})).status === 200;
    await until('the token is known', open(app.webhook_path));
    const { webhook_path } = await system.api<InstalledApp>('POST', `/api/v1/apps/${app.id}/rotate-token`, {
      grace_seconds: 0,
    });
    const gone = (path: string) => async () => (await post(at(path), {})).status === 410;
    await until('the old token is gone', gone(app.webhook_path));
    await until('the new token is known', open(webhook_path));
    await system.api('DELETE', `/api/v1/apps/${app.id}`);
    await until('the App is gone', gone(webhook_path));
  });

  it('is refused with 401 unless its signature is valid', async () => {
    const body = '{"task":"signed"}';
    const send = (headers: Record<string, string>) => post(appUrl('hmac'), body, headers);
    expect(await send({})).toMatchObject({ status: 401, body: { error: 'missing_signature' } });
    const bad = { status: 401, body: { error: 'bad_signature' } };
    expect(await send(signed(`${body} `))).toMatchObject(bad);
    expect(await send(signed(body, 'another'))).toMatchObject(bad);
    expect(await send({ 'x-signature-256': hmac(secret, body).replace('sha256=', '') })).toMatchObject(bad);
    expect(await send(signed(body))).toMatchObject({ status: 200 });
    expect(await send(signed(body, 'the next'))).toMatchObject({ status: 200 });
  });

  it('is checked by the header, algorithm, encoding and prefix that the App sets', async () => {
    const body = '{"task":"custom"}';
    const mac = createHmac('sha512', secret).update(body).digest('base64');
    expect(await post(appUrl('custom'), body, { 'x-mac': `v0=${mac}` })).toMatchObject({ status: 200 });
    expect(await post(appUrl('custom'), body, signed(body))).toMatchObject({ body: { error: 'missing_signature' } });
  });

  it('is checked by Standard Webhooks, whose timestamp may be 300 s off either way', async () => {
    const body = '{"task":"standard"}';
    const send = (offSeconds: number) => {
      const time = new Date(Date.now() + offSeconds * 1_000);
      const id = `${door} ${offSeconds}`;
      return post(appUrl('standard'), body, {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(time.getTime() / 1_000)),
        'webhook-signature': new Webhook(standardSecret).sign(id, time, body),
      });
    };
    for (const off of [0, -290, 290]) expect(await send(off)).toMatchObject({ status: 200 });
    const stale = { status: 401, body: { error: 'stale_timestamp' } };
    for (const off of [-310, 310]) expect(await send(off)).toMatchObject(stale);
  });

  it('that was refused is in the refusal log, without its body', async () => {
    const body = `{"task":"a refused ${door}"}`;
    await post(appUrl('hmac'), body, signed('other'));
    type Refusals = { data: { app_id: string; code: string; body_bytes: number; header_names: string }[] };
    const kept = await until('the refusal is kept', async () => {
      const { data } = await system.api<Refusals>('GET', '/api/v1/refusals');
      return data.find((refusal) => refusal.body_bytes === Buffer.byteLength(body));
    });
    expect(kept).toMatchObject({ app_id: apps.hmac.id, code: 'bad_signature' });
    expect(kept.header_names).toContain('x-signature-256');
    expect(JSON.stringify(kept)).not.toContain('a refused');
  });

  it.each([
    ['no JSON', Buffer.from('{"task":')],
    ['nothing', Buffer.alloc(0)],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
  ])('whose body is %s is refused by the built-in App, and accepted from a provider', async (_what, body) => {
    expect(await post(webhook(), body)).toMatchObject({ status: 400, body: { error: 'invalid_json' } });
    expect(await post(appUrl('provider'), body, signed(body))).toMatchObject({ status: 200 });
  });

  it('of another type is refused with 415 by the built-in App, and accepted from a provider', async () => {
    const type = { 'content-type': 'text/plain' };
    expect(await post(webhook(), 'hello', type)).toMatchObject({
      status: 415,
      body: { error: 'unsupported_media_type' },
    });
    expect(await post(appUrl('provider'), 'hello', { ...type, ...signed('hello') })).toMatchObject({ status: 200 });
  });

  it('over the limit is refused with 413 while it streams, and the connection is closed', async () => {
    const over = jsonOf(mebibyte + 1);
    expect(await post(webhook(), over)).toMatchObject({ status: 413, body: { error: 'body_too_large' } });
    const unended = await postWithoutEnd(webhook(), jsonOf(3 * mebibyte));
    expect(unended.status).toBe(413);
    if (door === 'webhook-ingress') expect(unended.connection).toBe('close');
    expect((await post(appUrl('large'), jsonOf(3 * mebibyte))).status).toBe(200);
  });

  it('of a paused App is accepted and held', async () => {
    const { status, id } = await post(appUrl('paused'), { task: 'later' });
    expect(status).toBe(200);
    expect(await story(id)).toMatchObject({ outcome: null, timeline: [{ stage: 'received', outcome: 'held' }] });
  });

  it('of a disabled App is answered with 404', async () => {
    expect(await post(appUrl('disabled'), {})).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });

  it.each([
    [404, 'workflow_not_found', 987_654],
    [422, 'invalid_workflow_id', '7'],
    [422, 'invalid_workflow_id', 1.5],
  ])('is refused with %d %s for the workflow_id %j', async (status, error, workflow_id) => {
    expect(await post(webhook(), { workflow_id })).toMatchObject({ status, body: { error } });
  });

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('sent by %s is refused with 405', async (method) => {
    const answer = await fetch(webhook(), { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
  });

  it('is answered with 200 while Redis is down, and processed later', async () => {
    const { redis } = system.ingressLinks;
    redis.cut();
    const { status, id } = await post(webhook(), { task: 'without Redis' });
    redis.mend();
    expect(status).toBe(200);
    expect(await system.ended(id)).toMatchObject({ outcome: 'routed' });
  });

  it('is answered with 503 and Retry-After while Postgres is down, and with 200 afterwards', async () => {
    const { database } = system.ingressLinks;
    database.cut();
    const away = await post(webhook(), { task: 'without Postgres' });
    database.mend();
    expect(away).toMatchObject({ status: 503, id: '' });
    expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
    await until('it is stored again', async () => (await post(webhook(), { task: 'again' })).status === 200);
  });
});

describe('the limits against abuse', () => {
  const expectLimited = (headers: Headers, limit: number): void => {
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headers.get('ratelimit-limit')).toBe(String(limit));
    expect(headers.get('ratelimit-remaining')).toBe('0');
  };

  it('answer with 429 to an endpoint that is called too often', async () => {
    const { large } = apps;
    const statuses = new Set<number>();
    const limited = await until('the limit is reached', async () => {
      const answers = await Promise.all(Array.from({ length: 4 * endpointRate }, () => post(large.webhook_url, {})));
      for (const { status } of answers) statuses.add(status);
      return answers.find(({ status }) => status === 429);
    });
    expect(statuses).toEqual(new Set([200, 429]));
    expectLimited(limited.headers, endpointRate);
  });

  it('answer with 429 to an address that tries tokens', async () => {
    const limited = await until('the limit is reached', async () => {
      const guess = () => fetch(`${system.origin('webhook-ingress')}/api/v1/webhooks/guess`, { method: 'POST' });
      const answers = await Promise.all(Array.from({ length: 40 }, guess));
      return answers.find(({ status }) => status === 429);
    });
    expectLimited(limited.headers, 120);
  });
});
