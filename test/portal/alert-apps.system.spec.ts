import { until } from '#libs/testing';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer as readAll } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { type ProviderServer, startProviderServer } from '../../apps/adapters/src/testing/provider-server.js';
import { startSmallSystem, type System } from '../system/system.js';
import { startFakeTelegram, type FakeTelegram } from '../system/fake-telegram.js';

interface Sent {
  kind: string;
  state: string;
  app_id: string;
  reason: string | null;
  error_detail: string | null;
}

describe('alerts through Apps', () => {
  let system: System;
  let telegram: FakeTelegram;
  let slack: ProviderServer;
  let smtp: SMTPServer;
  const mails: Email[] = [];
  const posted: Record<string, unknown>[] = [];
  let slackRefuses: string | null = null;

  beforeAll(async () => {
    slack = await startProviderServer(({ url, fields }) => {
      if (!url.endsWith('/chat.postMessage')) return { body: { ok: true } };
      if (slackRefuses !== null) return { body: { ok: false, error: slackRefuses } };
      posted.push(fields);
      return { body: { ok: true, ts: `1700000000.00000${posted.length}`, channel: fields.channel } };
    });
    telegram = await startFakeTelegram();
    smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      disableReverseLookup: true,
      onData: (stream, _session, done) => {
        void readAll(stream)
          .then((bytes) => PostalMime.parse(bytes))
          .then((mail) => {
            mails.push(mail);
            done();
          });
      },
    });
    smtp.on('error', () => undefined);
    await once(smtp.listen(0, '127.0.0.1'), 'listening');
    system = await startSmallSystem({
      GATEHOUSE_SLACK_API_URL: slack.url,
      GATEHOUSE_TELEGRAM_API_URL: telegram.url,
      ALERT_LOOK_MS: '300',
      ALERT_SEND_MS: '300',
    });
  });
  afterAll(async () => {
    await system?.stop();
    await Promise.all([telegram?.close(), slack?.close()]);
    await new Promise<void>((end) => smtp.close(end));
  });

  const install = async (slug: string, linked: object): Promise<string> =>
    (await system.api<{ id: string }>('POST', `/api/v1/listings/${slug}/install`, linked)).id;
  const token = async (value: string): Promise<string> => {
    const body = { name: value, type: 'api_key', fields: { token: value } };
    return (await system.api<{ id: string }>('POST', '/api/v1/credentials', body)).id;
  };

  it('arrive in a channel of Slack, in a chat of Telegram and by mail, once each', async () => {
    const port = String((smtp.server.address() as AddressInfo).port);
    const account = { host: '127.0.0.1', port, encryption: 'none', from: 'gatehouse@example.org' };
    const apps = {
      slack: await install('slack', { credentials: { SLACK_BOT_TOKEN: await token('xoxb-1') } }),
      telegram: await install('telegram', { credentials: { TELEGRAM_BOT_TOKEN: await token(telegram.token) } }),
      smtp: await install('smtp', { credential_id: await system.credential(account) }),
    };
    const rule = await system.api<{ id: string }>('POST', '/api/v1/alert-rules', {
      name: 'Operations',
      codes: ['credentials_missing'],
      after_minutes: 0,
      receivers: [
        { app_id: apps.slack, address: 'C0123456789' },
        { app_id: apps.telegram, address: '7' },
        { app_id: apps.smtp, address: 'ops@example.org' },
      ],
    });
    const { id: broken } = await system.api<{ id: string }>('POST', '/api/v1/listings/github/install', {
      credentials: {},
    });
    const listed = await system.api<{ data: { code: string; text: string }[] }>('GET', '/api/v1/attention');
    const cause = listed.data.find(({ code }) => code === 'credentials_missing')?.text ?? 'none';
    const history = async (kind: string): Promise<Sent[]> =>
      (await system.api<{ data: Sent[] }>('GET', `/api/v1/alerts?rule_id=${rule.id}`)).data.filter(
        (one) => one.kind === kind,
      );
    await until('all three are sent', async () => {
      const sent = await history('began');
      return sent.length === 3 && sent.every(({ state }) => state === 'sent');
    });
    expect(posted).toMatchObject([{ channel: 'C0123456789' }]);
    const texts = [String(posted[0]?.['text']), telegram.sent[0]?.text ?? '', mails[0]?.text ?? ''];
    for (const text of texts) expect(text.replaceAll('&amp;', '&')).toContain(`[Default] ${cause}`);
    expect(telegram.sent.map(({ chat_id: chat }) => chat)).toEqual(['7']);
    expect(mails.map(({ subject, to }) => [subject, to?.[0]?.address])).toEqual([
      [`[Default] ${cause}`, 'ops@example.org'],
    ]);
    expect(broken).toMatch(/^app_/);

    slackRefuses = 'channel_not_found';
    await system.api('POST', `/api/v1/alert-rules/${rule.id}/test`);
    const tested = await until('the test has ended everywhere', async () => {
      const sent = await history('test');
      return sent.length === 3 && sent.every(({ state }) => state !== 'waiting') ? sent : null;
    });
    const byApp = new Map(tested.map((one) => [one.app_id, one]));
    expect(byApp.get(apps.slack)).toMatchObject({ state: 'failed', reason: 'not_found' });
    expect(byApp.get(apps.telegram)).toMatchObject({ state: 'sent' });
    expect(byApp.get(apps.smtp)).toMatchObject({ state: 'sent' });
    expect([posted.length, telegram.sent.length, mails.length]).toEqual([1, 2, 2]);
  });
});
