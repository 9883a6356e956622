import { until } from '#libs/testing';
import type { Browser, Page } from 'playwright-core';
import { openSink, type Sink } from '../system/sink.js';
import { startSmallSystem, type System } from '../system/system.js';
import { startFakeTelegram, type FakeTelegram } from '../system/fake-telegram.js';
import { post } from '../system/webhook.js';
import { isForEverybody, violations } from './accessibility.js';
import { inBrowser, launch, signIn, type Visit, visit } from './browser.js';

/** In place of the desktop: what would be shown on it. */
const fakeNotices = `
  window.shown = [];
  window.Notification = class {
    static permission = localStorage.getItem('test-permission') ?? 'default';
    static async requestPermission() {
      localStorage.setItem('test-permission', 'granted');
      return (this.permission = 'granted');
    }
    constructor(title) { window.shown.push(title); }
    close() {}
  };`;

inBrowser('what calls people, in the console', () => {
  let browser: Browser;
  let system: System;
  let sink: Sink;
  let telegram: FakeTelegram;
  let owner: Visit;
  let page: Page;
  let project: string;

  beforeAll(async () => {
    [sink, telegram] = await Promise.all([openSink(), startFakeTelegram()]);
    [browser, system] = await Promise.all([
      launch(),
      startSmallSystem({ GATEHOUSE_TELEGRAM_API_URL: telegram.url, ALERT_LOOK_MS: '300', ALERT_SEND_MS: '300' }),
    ]);
    const body = { name: 'bot', type: 'api_key', fields: { token: telegram.token } };
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/credentials', body);
    await system.api('POST', '/api/v1/listings/telegram/install', { credentials: { TELEGRAM_BOT_TOKEN: id } });
    const credential_id = await system.credential({ signing_secret: 'a-secret-that-is-long-enough' });
    await system.api('PATCH', `/api/v1/apps/${system.appId}`, { credential_id });
    owner = await visit(browser, {});
    ({ page } = owner);
    await page.addInitScript(fakeNotices);
    await signIn(owner, await system.ownerLink());
    project = `${system.origin('portal')}${new URL(page.url()).pathname.replace(/\/$/, '')}`;
  });
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
    await Promise.all([telegram?.close(), sink?.close()]);
  });

  const main = () => page.getByRole('navigation', { name: 'Main' });
  const attention = () => page.getByRole('region', { name: 'Needs attention' });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const receiver = async (number: number, app: string, address: string): Promise<void> => {
    await page.getByRole('combobox', { name: `App ${number}` }).click();
    await page.getByRole('option', { name: app }).click();
    await page.getByRole('textbox', { name: `Address ${number}` }).fill(address);
  };

  it('alerts are rules of a project, made in a form that says what is wrong with them', async () => {
    await main().getByRole('link', { name: 'Operations' }).click();
    await main().getByRole('link', { name: 'Alerts' }).click();
    await page.getByText('Nobody is called yet').waitFor();
    await isForEverybody(owner, 'alerts-empty');
    await button('New alert rule').first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Operations');
    await page.getByRole('combobox', { name: 'Only these' }).click();
    await page.getByRole('option', { name: 'Secrets are missing' }).click();
    await page.getByRole('option', { name: 'A model does not answer' }).click();
    await page.keyboard.press('Escape');
    await receiver(1, 'Telegram', '7');
    await button('Add a receiver').click();
    await receiver(2, 'Webhook', 'not a URL');
    await page.getByRole('textbox', { name: 'After (minutes)', exact: true }).fill('0');
    await page.getByRole('switch', { name: 'Quiet hours' }).click();
    await page.getByLabel('To', { exact: true }).fill('22:00');
    await button('Create').click();
    await page.getByText('must be HH:MM, and another than from').waitFor();
    await isForEverybody(owner, 'alert-rule-wrong');
    await page.getByRole('switch', { name: 'Quiet hours' }).click();
    await button('Create').click();
    await page
      .locator('[aria-invalid=true]')
      .and(page.getByRole('textbox', { name: 'Address 2' }))
      .waitFor();
    await page.getByRole('textbox', { name: 'Address 2' }).fill(`${sink.url}/alerts`);
    await button('Create').click();
    await page.getByRole('heading', { name: 'Operations', level: 1 }).waitFor();
    const rule = await system.api<{ data: object[] }>('GET', '/api/v1/alert-rules');
    expect(rule.data).toMatchObject([
      { name: 'Operations', codes: ['credentials_missing', 'model_away'], after_minutes: 0, quiet: null },
    ]);
  });

  it('alerts are tried by a button, and listed with what became of them and why', async () => {
    sink.answer = () => ({ status: 400 });
    await button('Send a test').click();
    await page.getByText('A test is on its way to 2 receivers.').waitFor();
    const history = page.getByRole('region', { name: 'What was sent' });
    const row = (app: string) => history.getByRole('row').filter({ hasText: app });
    await row('Telegram').getByText('Sent', { exact: true }).waitFor();
    await row('Webhook').getByText('Failed', { exact: true }).waitFor();
    await row('Webhook').getByText(/400/).waitFor();
    expect(telegram.sent.at(-1)?.text).toContain('Test: this is how the rule “Operations” calls you.');
    await isForEverybody(owner, 'alert-rule');
    sink.answer = () => ({ status: 200 });
  });

  it('alerts are muted from what needs attention, which the navigation counts', async () => {
    await main().getByRole('link', { name: 'Home' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/listings/github/install', { credentials: {} });
    await attention()
      .getByText(/GitHub.*missing/)
      .waitFor();
    await main()
      .getByRole('link', { name: /Home.*things need attention/ })
      .waitFor();
    await until('it is sent', () => telegram.sent.some(({ text }) => /GitHub/.test(text)));
    const line = attention().getByRole('listitem').filter({ hasText: 'GitHub' });
    await line.getByRole('button', { name: /^Mute: GitHub/ }).click();
    await page.getByRole('radio', { name: /Everything of the rule/ }).waitFor();
    await page.getByText('1 week', { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('attention-mute');
    await button('1 week').click();
    await line.getByText('Muted until').waitFor();
    await isForEverybody(owner, 'home-muted');
    await line.getByRole('button', { name: 'Unmute' }).click();
    await line.getByRole('button', { name: /^Mute: GitHub/ }).click();
    await page.getByRole('radio', { name: /Everything of the rule/ }).check();
    await button('8 hours').click();
    await page.goto(`${project}/alerts`);
    const rule = page.getByRole('row').filter({ hasText: 'Operations' });
    await rule.getByText('Muted', { exact: true }).waitFor();
    await isForEverybody(owner, 'alerts-full');
    await rule.getByRole('link').first().click();
    await page.getByText('It is muted until').waitFor();
    await button('Unmute').click();
    await button('Mute').waitFor();
    await system.api('DELETE', `/api/v1/apps/${id}`);
  });

  it('alerts are listed by their state', async () => {
    await page.goto(`${project}/alerts?tab=history`);
    const rows = page.getByRole('table', { name: 'What was sent' }).getByRole('row');
    await rows.filter({ hasText: 'Began' }).first().waitFor();
    await isForEverybody(owner, 'alert-history');
    await page.goto(`${project}/alerts?tab=history&state=failed`);
    await rows.filter({ hasText: 'Failed' }).first().waitFor();
    expect(await rows.filter({ hasText: 'Began' }).count()).toBe(0);
  });

  it('notices of the desktop are shown by choice, of what is new', async () => {
    await page.goto(`${project}/alerts?tab=desktop`);
    await page.getByText('Everything', { exact: true }).click();
    await until('it is kept', () => page.evaluate<boolean>("localStorage.getItem('desktop-notices')?.includes('all')"));
    await isForEverybody(owner, 'alerts-desktop');
    const shown = () => page.evaluate<string[]>('window.shown');
    await page.goto(project);
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await attention().getByRole('listitem').or(attention().getByText('Nothing needs attention.')).first().waitFor();
    expect(await shown()).toEqual([]);
    await system.api('POST', '/api/v1/listings/discord/install', { credentials: {} });
    await until('a notice is shown', async () => (await shown()).length > 0);
    expect((await shown())[0]).toMatch(/^\[Default\] Discord.*missing/);
    expect(owner.complaints.filter((text) => !text.includes('422'))).toEqual([]);
  });

  it('Home says what came since the last visit, and nothing on the first one', async () => {
    const since = page.getByRole('region', { name: 'Since you last looked' });
    const home = () => page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await page.goto(project);
    await home();
    const { id } = await post(system.webhookUrl, { text: 'What came meanwhile' });
    await system.ended(id);
    await page.getByText('What came meanwhile').waitFor();
    expect(await since.count()).toBe(0);
    await page.evaluate(`for (const key of Object.keys(localStorage)) if (key.startsWith('last-look-'))
      localStorage.setItem(key, JSON.stringify({ seen: Date.now() - 3_600_000, since: null }))`);
    await page.reload();
    await since.getByText('One event').waitFor();
    await isForEverybody(owner, 'home-since');
    await since.getByRole('listitem').getByRole('link').click();
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
    await page.getByRole('row').filter({ hasText: 'What came meanwhile' }).waitFor();
    expect([...new URL(page.url()).searchParams.keys()].toSorted()).toEqual(['outcome', 'since']);
    await page.goBack();
    await since.getByRole('button', { name: 'Hide' }).click();
    await since.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('What came meanwhile').waitFor();
    expect(await since.count()).toBe(0);
  });
});
