import { type Dovecot, findDovecot, startDovecot, TEST_CERTIFICATE, TEST_KEY, until } from '#libs/testing';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer as readAll } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { type FakeModel, fakeModel } from '../../apps/engine/src/testing/fake-model.js';
import { startSystem, type System } from '../system/system.js';
import { violations } from './accessibility.js';
import { inBrowser, launch, signIn, type Visit, visit } from './browser.js';
import { type Site, startSite } from './chat-site.js';

const user = 'desk@example.org';
const password = 'the-password-of-the-desk';
const visitor = 'jane@example.net';

const found = findDovecot();
if ('reason' in found) process.stderr.write('Left out: there is no Dovecot.\n');
const suite = 'reason' in found ? describe.skip : inBrowser;

suite('a visitor who leaves a web chat', () => {
  const dir = mkdtempSync(join(tmpdir(), 'chat-mail-'));
  let [dovecot, smtp, model, system, browser, shop]: [Dovecot?, SMTPServer?, FakeModel?, System?, Browser?, Site?] = [];
  let [chat, mailApp] = ['', ''];
  const mails: Email[] = [];
  const visits: Visit[] = [];

  beforeAll(async () => {
    if ('reason' in found) return;
    smtp = new SMTPServer({
      key: TEST_KEY,
      cert: TEST_CERTIFICATE,
      disableReverseLookup: true,
      onAuth: (login, _session, done) =>
        login.username === user && login.password === password ? done(null, { user }) : done(new Error('no')),
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
    const ca = join(dir, 'ca.pem');
    writeFileSync(ca, TEST_CERTIFICATE);
    [dovecot, model] = await Promise.all([startDovecot(found, { [user]: password }), fakeModel()]);
    shop = await startSite(
      () => system!.origin('portal'),
      () => chat,
    );
    const settings = { NODE_EXTRA_CA_CERTS: ca, MODEL_BASE_URL: model.url, MODEL_NAME: 'fake' };
    const soon = { WEB_CHAT_AWAY_AFTER_MS: '1500', CONNECTION_SWEEP_MS: '200', CONNECTION_WAIT_S: '2' };
    system = await startSystem({ ...settings, ...soon }, { linked: false });
    const fields = { origins: shop.origin };
    const origins = await system.api<{ id: string }>('POST', '/api/v1/credentials', {
      name: 'shop',
      type: 'text',
      fields,
    });
    chat = await install('webchat', { credentials: { WEB_CHAT_ORIGINS: origins.id } });
    const mailbox = await system.credential({
      host: '127.0.0.1',
      port: String(dovecot.ports.tls),
      encryption: 'tls',
      username: user,
      password,
      smtp_host: '127.0.0.1',
      smtp_port: String((smtp.server.address() as AddressInfo).port),
    });
    mailApp = await install('imap', { credential_id: mailbox });
    const { id: agent_id } = await system.api<{ id: string }>('POST', '/api/v1/agents', {
      name: 'Desk',
      instructions: 'Help.',
    });
    await system.api('PUT', `/api/v1/channels/${chat}`, { unknown_senders: 'open', agent_id, inbox_mode: 'queue' });
    await system.api('PUT', `/api/v1/apps/${mailApp}/connection`);
    browser = await launch();
  });
  afterAll(async () => {
    for (const each of visits) await each.close();
    await browser?.close();
    await system?.stop();
    await Promise.all([
      dovecot?.stop(),
      model?.close(),
      shop?.close(),
      smtp && new Promise<void>((end) => smtp!.close(end)),
    ]);
    rmSync(dir, { recursive: true, force: true });
  });

  const install = async (slug: string, body: object): Promise<string> =>
    (await system!.api<{ id: string }>('POST', `/api/v1/listings/${slug}/install`, body)).id;
  async function arrive(viewport = { width: 1280, height: 800 }): Promise<Visit> {
    const arrived = await visit(browser!, { viewport, reducedMotion: 'reduce' });
    visits.push(arrived);
    await arrived.page.goto(shop!.origin);
    await arrived.page.getByRole('button', { name: 'Questions?' }).click();
    return arrived;
  }
  const write = async (page: Page, text: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'Your message' }).fill(text);
    await page.keyboard.press('Enter');
  };
  const log = (page: Page) => page.getByRole('log', { name: 'Questions?' });
  const shows = (page: Page, text: string): Promise<void> => log(page).getByText(text).waitFor();

  it('is offered no mails until somebody chooses a mail App in the console', async () => {
    const { page } = await arrive();
    await write(page, 'Hello');
    expect(await page.getByRole('button', { name: 'Get answers by mail' }).count()).toBe(0);
    const owner = await visit(browser!, {});
    visits.push(owner);
    await signIn(owner, await system!.ownerLink());
    await owner.page.getByRole('link', { name: 'Integrations' }).click();
    await owner.page.getByRole('article', { name: 'Web chat' }).first().getByRole('link').click();
    const section = owner.page.getByRole('region', { name: 'Answers by mail' });
    await section.getByRole('combobox', { name: 'Through the App' }).or(section.getByRole('textbox')).first().click();
    await owner.page.getByRole('option', { name: /IMAP/ }).click();
    await section.getByRole('textbox', { name: 'Subject of the mails' }).fill('Your question to the shop');
    await section.getByRole('button', { name: 'Save' }).click();
    await section.getByText('A reply to such a mail continues the conversation.').waitFor();
    expect(await violations(owner.page)).toEqual([]);
    await owner.picture('web-chat-mail-setup');
    expect(owner.complaints).toEqual([]);
  });

  it('gets the answer by mail once the address is confirmed, and goes on by mail and in the chat', async () => {
    const { page, picture } = await arrive({ width: 390, height: 844 });
    model!.script('It is on its way.');
    await write(page, 'Where is my parcel?');
    await shows(page, 'It is on its way.');
    await page.getByRole('button', { name: 'Get answers by mail when you are away' }).click();
    await picture('web-chat-mail-address');
    await page.getByRole('textbox', { name: 'Your mail address' }).fill(visitor);
    await page.keyboard.press('Enter');
    await until('the code came', () => mails.length === 1);
    expect(mails[0]?.to?.map(({ address }) => address)).toEqual([visitor]);
    const code = /\d{8}/.exec(mails[0]?.text ?? '')?.[0] ?? '';
    await page.getByRole('textbox', { name: /Code of 8 digits/ }).fill('00000000');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'This is not the code' }).waitFor();
    await picture('web-chat-mail-code');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('textbox', { name: /Code of 8 digits/ }).fill(code);
    await page.keyboard.press('Enter');
    await page.getByText('When you are away, answers go to j…@example.net').waitFor();
    await picture('web-chat-mail-on');
    expect(await violations(page)).toEqual([]);

    // The answer comes when the visitor has left.
    const late = {
      choices: [
        { index: 0, message: { role: 'assistant', content: 'It **arrives** on Monday.' }, finish_reason: 'stop' },
      ],
    };
    model!.script((response) => {
      void page
        .goto('about:blank')
        .then(() => response.setHeader('content-type', 'application/json').end(JSON.stringify(late)));
    });
    await write(page, 'And when?');
    await until('the answer came by mail', () => mails.length === 2);
    const mail = mails[1]!;
    expect(mail.subject).toBe('Your question to the shop');
    expect(mail.text).toContain('It arrives on Monday.');
    expect(mail.html).toContain('<strong>arrives</strong>');
    expect(mail.text).toContain('/api/v1/web-chat/mail/off?token=');

    model!.script('Monday at noon.');
    dovecot!.deliver(
      user,
      [
        `From: Jane <${visitor}>`,
        `To: ${user}`,
        `Subject: Re: ${mail.subject}`,
        'Message-ID: <reply-1@example.net>',
        `In-Reply-To: ${mail.messageId}`,
        `References: ${mail.references} ${mail.messageId}`,
        '',
        'At what time?',
        '',
        'On Monday the desk wrote:',
        '> It arrives on Monday.',
        '',
      ].join('\n'),
    );
    await until('its answer came by mail, too', () => mails.length === 3);
    expect(mails[2]?.text).toContain('Monday at noon.');
    expect(mails[2]?.references).toContain(mail.references!.split(' ')[0]);
    const asked = JSON.stringify(model!.requests.at(-1));
    // The model has the whole conversation, and of the mail what its writer wrote.
    expect(asked).toContain('Where is my parcel?');
    expect(asked).toContain('At what time?');
    expect(asked).not.toContain('the desk wrote');
    await page.goto(shop!.origin);
    await page.getByRole('button', { name: /Questions\?/ }).click();
    await shows(page, 'At what time?');
    await shows(page, 'Monday at noon.');
    expect(mails).toHaveLength(3);

    const off = await visit(browser!, { viewport: { width: 390, height: 844 } });
    visits.push(off);
    await off.page.goto(/https?:\S+mail\/off\?token=[\w-]+/.exec(mail.text ?? '')?.[0] ?? '');
    await off.picture('web-chat-mail-off');
    expect(await violations(off.page)).toEqual([]);
    await off.page.getByRole('button', { name: 'Send no more' }).click();
    await off.page.getByText(`No mail of this chat goes to ${visitor}.`).waitFor();
  });
});
