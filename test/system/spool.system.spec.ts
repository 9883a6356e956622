import { until } from '#libs/testing';
import { createHmac } from 'node:crypto';
import type { InstalledApp } from './api.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scrape, sumOf } from './metrics.js';
import { openSink, type Sink } from './sink.js';
import { startSystem, type System } from './system.js';
import { post, type WebhookAnswer } from './webhook.js';

const holdMs = 1_500;
const secret = 'a secret of the sender';
const hmac = (key: string, body: string): string => createHmac('sha256', key).update(body).digest('hex');

describe('webhooks that come while Postgres does not answer', () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-spool-'));
  let system: System;
  let sink: Sink;

  beforeAll(async () => {
    sink = await openSink();
    system = await startSystem({ HOLD_MS: String(holdMs), SPOOL_DIR: directory });
    await system.api('PUT', `/api/v1/channels/${system.appId}`, { reply_address: `${sink.url}/replies` });
  });
  afterAll(async () => {
    await system?.stop();
    await sink.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const send = (key: string): Promise<WebhookAnswer> =>
    post(system.webhookUrl, { task: `answer to ${key}` }, { 'idempotency-key': key });
  const repliedOnce = async (ids: string[]): Promise<void> => {
    for (const id of ids) {
      await until(`${id} is answered`, () => sink.repliesTo(id).length > 0);
      expect(await system.ended(id)).toMatchObject({ outcome: 'routed' });
      expect(new Set(sink.repliesTo(id).map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    }
  };
  const ready = async (): Promise<number> => (await fetch(`${system.origin('webhook-ingress')}/health/ready`)).status;

  it('wait, and are stored once it answers within HOLD_MS', async () => {
    system.ingressLinks.database.cut();
    const sent = Array.from({ length: 10 }, (_, n) => send(`short ${n}`));
    await until(
      'they wait',
      async () => sumOf(await scrape(system, 'webhook-ingress'), 'gatehouse_receipts_held') === 10,
    );
    system.ingressLinks.database.mend();
    const answers = await Promise.all(sent);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    await repliedOnce(answers.map(({ id }) => id));
  });

  it('are still checked, with the secrets that were in force when both it and the vault went away', async () => {
    const signed = await system.api<InstalledApp>('POST', '/api/v1/apps', {
      name: 'signed',
      kind: 'builtin',
      credential_id: await system.credential({ signing_secret: secret }),
      signature: { scheme: 'hmac' },
    });
    const sendSigned = (task: string, by = secret): Promise<WebhookAnswer> => {
      const body = JSON.stringify({ task });
      return post(signed.webhook_url, body, { 'x-signature-256': `sha256=${hmac(by, body)}` });
    };
    await until('its secret is known', async () => (await sendSigned('before')).status === 200);
    system.ingressLinks.database.cut();
    await system.kill('credential-vault');
    const [good, bad] = [await sendSigned('during'), await sendSigned('during', 'another')];
    expect([good.status, bad.status]).toEqual([200, 401]);
    system.ingressLinks.database.mend();
    await system.restart('credential-vault');
    expect(await system.ended(good.id)).toMatchObject({ outcome: 'routed' });
  });

  it('are acknowledged from the disk after that: none is refused, lost or doubled, though the ingress is killed', async () => {
    system.ingressLinks.database.cut();
    const answers: WebhookAnswer[] = [];
    const untilMs = performance.now() + 3 * holdMs;
    for (let n = 0; performance.now() < untilMs || n < 30; n += 1) answers.push(await send(`long ${n}`));
    const repeated = await send('long 0');
    expect([...answers, repeated].map(({ status }) => status)).toEqual([...answers, repeated].map(() => 200));
    expect(await ready()).toBe(200);
    await system.kill('webhook-ingress');
    system.ingressLinks.database.mend();
    await system.restart('webhook-ingress');
    await repliedOnce(answers.map(({ id }) => id));
    // The same key again was found when it was moved.
    expect(sink.arrivals.filter(({ json }) => String(json['text']).includes('answer to long 0')).length).toBe(1);
    const { timeline } = await system.ended(answers.at(-1)?.id ?? '');
    expect(timeline).toContainEqual(expect.objectContaining({ stage: 'received', reason: 'spooled' }));
    await until('nothing waits on the disk', async () => {
      const { data } = await system.api<{ data: { code: string }[] }>('GET', '/api/v1/attention');
      return !data.some(({ code }) => code === 'webhooks_spooled');
    });
  });
});
