import { until } from '#libs/testing';
import { type AlertServices, alertServices, attentionItem } from '../testing/alert-services.js';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';
import { post, send } from '../testing/send.js';
import { AlertWatchRepository } from './alert-watch.repository.js';

let services: AlertServices;
let portal: PortalWorld;
let key: string;

beforeAll(async () => {
  services = await alertServices();
  const { url } = services;
  const urls = { INGRESS_URL: url, VAULT_URL: url, GATEWAY_URL: url, ROUTER_URL: url, MCP_REGISTRY_URL: url };
  portal = await startPortal({ ...urls, ENGINE_URL: url }, 0, { ALERT_LOOK_MS: 100, ALERT_SEND_MS: 100 });
  key = await portal.key(['alerts:write', 'events:read']);
});
afterAll(async () => {
  await portal.close();
  await services.close();
});
afterEach(async () => {
  services.items = [];
  services.away = false;
  services.rates = { events: 0, failed: 0, waiting: 0, refused: 0 };
  services.outcome = { state: 'delivered', error: null, error_detail: null };
  await query('DELETE FROM portal.alert_rule');
  await query('DELETE FROM portal.alert');
  await query('DELETE FROM portal.attention_mute');
  services.delivered.clear();
});

const query = (sql: string, values: unknown[] = []) => portal.query<Record<string, unknown>>(sql, values);
const call = (method: string, path: string, body?: object, token = key) =>
  send(`${portal.url}/api/v1/${path}`, token, body ? { ...post(body), method } : { method });
const halfLeaseMs = 15_000;
const mail = { app_id: 'app_mail', address: 'ops@example.com' };
const plain = { name: 'Operations', receivers: [mail], after_minutes: 0 };
const made = async (rule: object = {}) => {
  const { status, body } = await call('POST', 'alert-rules', { ...plain, ...rule });
  expect([status, body]).toEqual([201, body]);
  return body.id as string;
};
const messages = () => [...services.delivered.values()].map(({ message }) => message.text.split('\n')[0]);
/** Two looks later, nothing can be on its way. */
const looked = async () => {
  for (let look = 0; look < 2; look += 1) {
    const claim = async () => Number((await query('SELECT claim FROM portal.alert_watch'))[0]?.['claim'] ?? 0);
    const before = await claim();
    await until('somebody looked', async () => (await claim()) > before + 1);
  }
};

describe('an alert', () => {
  it('goes to each receiver once, says that it is over, and is in the history', async () => {
    const id = await made({ receivers: [mail, { app_id: 'app_web', address: 'https://ops.example.com/hook' }] });
    services.items = [attentionItem('replies_dead', 'app_1', 'Slack: 3 replies were not delivered.')];
    await until('it is sent to both', () => services.delivered.size === 2);
    await looked();
    expect(messages()).toEqual(Array(2).fill('[Default] Slack: 3 replies were not delivered.'));
    const through = (app: string) => [...services.delivered.values()].find(({ app_id }) => app_id === app);
    const mailed = through('app_mail');
    expect(mailed?.message).toMatchObject({ subject: messages()[0], format: 'plain' });
    expect(mailed?.message.reply_context).toBeUndefined();
    expect(through('app_web')?.message.reply_context?.alert).toMatchObject({
      kind: 'began',
      code: 'replies_dead',
      cause: 'replies_dead app app_1',
      rule_id: id,
    });
    services.items = [];
    await until('it is gone', async () => {
      await query(
        "UPDATE portal.alert_cause SET gone_since = now() - interval '2 minutes' WHERE gone_since IS NOT NULL",
      );
      return services.delivered.size === 4;
    });
    expect(messages().at(-1)).toBe('[Default] Over, after 1 min: Slack: 3 replies were not delivered.');
    const { body } = await until('all are sent', async () => {
      const answer = await call('GET', `alerts?rule_id=${id}&state=sent`);
      return answer.body.data.length === 4 ? answer : null;
    });
    expect(body.data.map(({ kind }: { kind: string }) => kind)).toEqual(['over', 'over', 'began', 'began']);
    expect(body.data[0].delivery_id).toMatch(/^dlv_/);
  });

  it('is not late where its rule was made while somebody looked and saw none', async () => {
    const watches = portal.app.get(AlertWatchRepository);
    await made();
    await query('DELETE FROM portal.alert_rule');
    const watch = await until('a look that saw no rule has begun', async () => {
      await query("UPDATE portal.alert_watch SET due_at = now() WHERE state = 'queued'");
      return (await watches.work.claimDue(1))[0] ?? null;
    });
    services.items = [attentionItem('model_away', null)];
    await made();
    await watches.record(watch, null, 3_600_000);
    await until('it is sent', () => services.delivered.size === 1);
  });

  it('is not late after a look that failed: nobody waits for the end of its lease', async () => {
    const id = await made();
    const receivers = (json: string) =>
      query('UPDATE portal.alert_rule SET receivers = $2::jsonb WHERE id = $1', [id, json]);
    await receivers('7');
    services.items = [attentionItem('replies_dead', 'app_1')];
    await until('a look has failed', async () => {
      const [watch] = await query('SELECT state, reason FROM portal.alert_watch');
      return watch?.['state'] === 'queued' && watch['reason'] !== null;
    });
    await receivers('[{"app_id":"app_mail","address":"ops","kind":"adapter"}]');
    await until('it is sent', () => services.delivered.size === 1, halfLeaseMs);
  });

  it('waits while the gateway is away, and is then sent once', async () => {
    services.items = [attentionItem('model_away', null)];
    await made({ codes: ['model_away'] });
    await until('it is sent', async () => (await query('SELECT state FROM portal.alert'))[0]?.['state'] === 'done');
    services.away = true;
    await query(`UPDATE portal.alert SET state = 'queued', ended_at = NULL, due_at = now(), tries = 0`);
    const tries = async () => (await query('SELECT tries FROM portal.alert'))[0]?.['tries'];
    await until('it was tried', async () => Number(await tries()) > 0);
    services.away = false;
    await query("UPDATE portal.alert SET due_at = now() WHERE state = 'queued'");
    await until('it is sent', async () => (await query('SELECT state FROM portal.alert'))[0]?.['state'] === 'done');
    expect(services.delivered.size).toBe(1);
  });

  it('that its App does not deliver has failed, and nothing alerts about it through that App', async () => {
    services.outcome = { state: 'dead', error: 'auth_failed', error_detail: 'The mail server refused the password.' };
    await made();
    services.items = [attentionItem('model_away', null)];
    const failed = await until('it has failed', async () => {
      const { body } = await call('GET', 'alerts?state=failed');
      return body.data[0] ?? null;
    });
    expect(failed).toMatchObject({ reason: 'auth_failed', error_detail: 'The mail server refused the password.' });
    services.items = [attentionItem('model_away', null), attentionItem('replies_dead', 'app_mail')];
    await looked();
    expect(services.delivered.size).toBe(1);
  });

  it('that no App takes needs attention, and is not sent through the same receiver', async () => {
    await made();
    await query(
      `UPDATE portal.alert_rule SET receivers = '[{"app_id":"app_gone","address":"x","kind":"adapter"}]'::jsonb`,
    );
    services.outcome = { state: 'delivered', error: null, error_detail: null };
    services.items = [attentionItem('model_away', null)];
    await until('it is sent', async () => (await query('SELECT state FROM portal.alert'))[0]?.['state'] === 'done');
    await query(
      `UPDATE portal.alert SET state = 'dead', delivery_id = NULL, reason = 'app_not_found',
              error_detail = 'There is no app app_gone.', ended_at = now()`,
    );
    const listed = await until('it is listed', async () => {
      const everything = await portal.key(['admin']);
      const { body } = await call('GET', 'attention', undefined, everything);
      return body.data.find(({ code }: { code: string }) => code === 'alerts_failing') ?? null;
    });
    expect(listed.text).toBe('1 alert was not sent: There is no app app_gone.');
    await looked();
    expect(services.delivered.size).toBe(1);
  });

  it('is not sent any more once its rule is deleted', async () => {
    services.away = true;
    const id = await made().catch(() => null);
    expect(id).toBeNull();
    services.away = false;
    const rule = await made();
    services.items = [attentionItem('model_away', null)];
    await until('it is sent', async () => (await query('SELECT state FROM portal.alert'))[0]?.['state'] === 'done');
    await query(`UPDATE portal.alert SET state = 'queued', ended_at = NULL, due_at = now() + interval '1 hour'`);
    expect((await call('DELETE', `alert-rules/${rule}`)).status).toBe(204);
    expect((await call('GET', 'alerts')).body.data).toMatchObject([{ state: 'failed', reason: 'rule_deleted' }]);
    expect(await query('SELECT FROM portal.alert_cause')).toEqual([]);
  });
});

describe('what is muted', () => {
  it('is listed last, sent by no rule, and sent when that ends', async () => {
    const cause = 'replies_dead app app_1';
    expect((await call('POST', 'attention/mute', { cause, hours: 2 })).status).toBe(204);
    await made();
    services.items = [
      attentionItem('replies_dead', 'app_1'),
      { ...attentionItem('model_away', null), severity: 'warning' },
    ];
    await until('the other one is sent', () => services.delivered.size === 1);
    await looked();
    expect(messages()).toEqual(['[Default] model_away of null']);
    const { data } = (await call('GET', 'attention')).body;
    expect(data.map((item: Record<string, unknown>) => [item['code'], item['muted_until'] !== null])).toEqual([
      ...Array(6).fill(['model_away', false]),
      ...Array(6).fill(['replies_dead', true]),
    ]);
    expect((await call('POST', 'attention/unmute', { cause })).status).toBe(204);
    await until('it is sent', () => services.delivered.size === 2);
    const actions = await query('SELECT action FROM portal.audit WHERE subject = $1 ORDER BY id', [cause]);
    expect(actions.map(({ action }) => action)).toEqual(['attention.muted', 'attention.unmuted']);
  });

  it('may be a whole rule', async () => {
    const id = await made({ enabled: false });
    await call('POST', `alert-rules/${id}/mute`, { hours: 1 });
    await call('PATCH', `alert-rules/${id}`, { enabled: true });
    services.items = [attentionItem('model_away', null)];
    await looked();
    expect(services.delivered.size).toBe(0);
    expect((await call('POST', `alert-rules/${id}/mute`, { hours: 0 })).body.muted_until).toBeNull();
    await until('it is sent', () => services.delivered.size === 1);
  });
});

describe('a rule', () => {
  it('on a rate tells when the share is over its bound', async () => {
    await made({ rate: { measure: 'failed', over_percent: 20, minutes: 10, at_least: 10 } });
    services.rates = { events: 9, failed: 9, waiting: 0, refused: 0 };
    await looked();
    services.rates = { events: 40, failed: 8, waiting: 40, refused: 400 };
    await looked();
    expect(services.delivered.size).toBe(0);
    services.rates = { events: 40, failed: 12, waiting: 0, refused: 0 };
    await until('it is sent', () => services.delivered.size === 1);
    expect(messages()).toEqual(['[Default] 12 of 40 messages of the last 10 min failed (30 %, over 20 %).']);
  });

  it('that is tested sends at once to all receivers, whatever is muted', async () => {
    const id = await made();
    await call('POST', `alert-rules/${id}/mute`, { hours: 1 });
    const { status, body } = await call('POST', `alert-rules/${id}/test`);
    expect(status).toBe(202);
    expect(body.data).toMatchObject([{ kind: 'test', app_id: 'app_mail', state: 'waiting' }]);
    await until('it is sent', () => services.delivered.size === 1);
    expect(messages()[0]).toBe('[Default] Test: this is how the rule “Operations” calls you. Nothing is wrong.');
  });

  it('is read, changed and audited', async () => {
    const id = await made({ codes: ['model_away'] });
    expect((await call('GET', `alert-rules/${id}`)).body).toMatchObject({ codes: ['model_away'], still_minutes: 240 });
    const quiet = { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin', weekends: true };
    expect((await call('PATCH', `alert-rules/${id}`, { quiet, name: 'Night' })).body).toMatchObject({
      quiet,
      name: 'Night',
    });
    expect((await call('PATCH', `alert-rules/${id}`, { quiet: null })).body.quiet).toBeNull();
    expect((await call('GET', 'alert-rules')).body.data).toHaveLength(1);
    const actions = await query('SELECT action FROM portal.audit WHERE subject = $1 ORDER BY id', [id]);
    expect(actions.map(({ action }) => action)).toEqual([
      'alert_rule.created',
      'alert_rule.changed',
      'alert_rule.changed',
    ]);
  });

  it.each([
    ['receivers.0.app_id', { receivers: [{ app_id: 'app_gone', address: 'x' }] }],
    ['receivers.0.app_id', { receivers: [{ app_id: 'app_web_unsigned', address: 'https://a.example' }] }],
    ['receivers', { receivers: [] }],
    ['quiet.from', { quiet: { from: '24:00', to: '07:00', time_zone: 'UTC', weekends: false } }],
    ['quiet.to', { quiet: { from: '07:00', to: '07:00', time_zone: 'UTC', weekends: false } }],
    ['quiet.time_zone', { quiet: { from: '22:00', to: '07:00', time_zone: 'Mars/Base', weekends: false } }],
    ['codes', { codes: [], rate: { measure: 'failed', over_percent: 5, minutes: 5, at_least: 1 } }],
    ['rate.measure', { rate: { measure: 'lost', over_percent: 5, minutes: 5, at_least: 1 } }],
  ])('that is wrong in %s is refused', async (field, change) => {
    const { status, body } = await call('POST', 'alert-rules', { ...plain, ...change });
    expect([status, body.code]).toEqual([422, 'invalid_fields']);
    expect(body.errors.map((error: { field: string }) => error.field)).toContain(field);
  });

  it('is changed by those who may, in their own project', async () => {
    const id = await made();
    const reader = await portal.key(['alerts:read']);
    expect((await call('GET', `alert-rules/${id}`, undefined, reader)).status).toBe(200);
    expect((await call('PATCH', `alert-rules/${id}`, { name: 'x' }, reader)).status).toBe(403);
    expect((await call('POST', `alert-rules/${id}/test`, undefined, reader)).status).toBe(403);
    await query("UPDATE portal.alert_rule SET project_id = 'prj_other'");
    expect((await call('GET', `alert-rules/${id}`)).body.code).toBe('alert_rule_not_found');
    expect((await call('DELETE', `alert-rules/${id}`)).status).toBe(404);
  });
});
