import { until } from '#libs/testing';
import type { Browser, Page } from 'playwright-core';
import { startSmallSystem, type System } from '../system/system.js';
import { startFakeTelegram, type FakeTelegram } from '../system/fake-telegram.js';
import { violations } from './accessibility.js';
import { inBrowser, launch, signIn, type Visit, visit } from './browser.js';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

inBrowser('somebody new with a bot, on a computer without a public address', () => {
  let browser: Browser;
  let system: System;
  let telegram: FakeTelegram;
  let owner: Visit;

  beforeAll(async () => {
    telegram = await startFakeTelegram();
    system = await startSmallSystem({
      GATEHOUSE_TELEGRAM_API_URL: telegram.url,
      CONNECTION_SWEEP_MS: '200',
      CONNECTION_WAIT_S: '2',
    });
    browser = await launch();
    owner = await visit(browser, {});
    await signIn(owner, await system.ownerLink());
  });
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
    await telegram?.close();
  });

  it('has it answer a message, with its token alone', async () => {
    const { page } = owner;
    const project = new URL(page.url()).pathname.replace(/\/$/, '');
    const go = (path: string): Promise<unknown> => page.goto(`${system.origin('portal')}${project}${path}`);
    await go('/credentials?make=');
    const form = page.getByRole('dialog', { name: 'New credential' });
    await form.getByLabel('Name').fill('My bot');
    await form.getByLabel('Token').fill(telegram.token);
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'My bot', level: 1 }).waitFor();

    await go('/integrations');
    const card = page.getByRole('article', { name: 'Telegram', exact: true });
    await card.getByRole('button', { name: 'Install' }).click();
    const install = page.getByRole('dialog', { name: 'Install Telegram' });
    await install.getByRole('combobox', { name: 'Bot token' }).click();
    await page.getByRole('option', { name: 'My bot' }).click();
    await install.getByRole('button', { name: 'Install' }).click();
    await page.getByRole('heading', { name: 'Telegram (bidirectional)', level: 1 }).waitFor();

    const connection = page.getByRole('region', { name: 'Without a public address' });
    await connection.getByRole('button', { name: 'Fetch messages' }).click();
    await connection.getByRole('status').filter({ hasText: 'Connected' }).waitFor();
    expect(telegram.webhook).toBe(false);
    telegram.write('Is anybody there?');

    await go('/contacts');
    const waiting = page.getByRole('region', { name: 'Waiting to be admitted' }).getByRole('listitem');
    await waiting.filter({ hasText: 'Is anybody there?' }).getByRole('button', { name: 'Admit' }).click();
    await until('the bot has answered', () => telegram.sent.length > 0);
    expect(telegram.sent[0]?.chat_id).toBe('7');
  });

  it('sees when Telegram refuses, why, and that it goes on by itself; and ends it', async () => {
    const { page } = owner;
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Integrations' }).click();
    await page.getByRole('article', { name: 'Telegram (bidirectional)' }).getByRole('link').click();
    const connection = page.getByRole('region', { name: 'Without a public address' });
    telegram.webhook = true;
    await connection.getByRole('status').filter({ hasText: 'Not connected' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('telegram-not-connected');
    telegram.webhook = false;
    await connection.getByRole('status').filter({ hasText: 'Connected' }).waitFor();
    await button(page, 'Stop fetching').click();
    await connection.getByRole('button', { name: 'Fetch messages' }).waitFor();
    expect(owner.complaints.filter((line) => !line.includes('404'))).toEqual([]);
  });
});
