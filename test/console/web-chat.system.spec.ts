import { ServiceTokens } from '#libs/service-kit';
import { testServiceKey, until } from '#libs/testing';
import { SignJWT } from 'jose';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { fakeModel, type FakeModel, type FakeStream, fakeStream } from '../../apps/engine/src/testing/fake-model.js';
import { fakeProvider } from '../../apps/engine/src/testing/fake-provider.js';
import { sampleAudio } from '../../apps/engine/src/path/transcripts/audio-file.js';
import { startSystem, type System } from '../system/system.js';
import { violations } from './accessibility.js';
import { inBrowser, launch, signIn, type Visit, visit } from './browser.js';
import { type Site, startSite } from './chat-site.js';

const identitySecret = 'TWFkZSBmb3IgdGVzdHM6IHRoZSBmaXJzdCBhY2NvdW50';
const soon = { RECEIPT_LEASE_MS: '2000', SWEEP_EVERY_MS: '1000', SWEEP_AFTER_MS: '2000', TURN_LEASE_MS: '2000' };

inBrowser('a chat on a page of one’s own', () => {
  let browser: Browser;
  let system: System;
  let model: FakeModel;
  let [shop, other]: Site[] = [];
  let app = '';
  let agentId = '';
  const visits: Visit[] = [];

  beforeAll(async () => {
    model = await fakeModel();
    const sites = { gatehouse: () => system.origin('portal'), app: () => app };
    shop = await startSite(sites.gatehouse, sites.app);
    other = await startSite(sites.gatehouse, sites.app);
    const keys = { GATEHOUSE_SERVICE_KEY: JSON.stringify(testServiceKey) };
    system = await startSystem({ ...soon, ...keys, MODEL_BASE_URL: model.url, MODEL_NAME: 'fake' }, { linked: false });
    const fields = { origins: shop.origin, identity_secret: identitySecret, anonymous: 'yes' };
    const credential = (
      await system.api<{ id: string }>('POST', '/api/v1/credentials', { name: 'shop', type: 'text', fields })
    ).id;
    const declared = ['WEB_CHAT_ORIGINS', 'WEB_CHAT_IDENTITY_SECRET', 'WEB_CHAT_ANONYMOUS'];
    const installed = { credentials: Object.fromEntries(declared.map((key) => [key, credential])) };
    app = (await system.api<{ id: string }>('POST', '/api/v1/listings/webchat/install', installed)).id;
    const { id: agent_id } = await system.api<{ id: string }>('POST', '/api/v1/agents', {
      name: 'Desk',
      instructions: 'Help.',
    });
    agentId = agent_id;
    await system.api('PUT', `/api/v1/channels/${app}`, { unknown_senders: 'open', agent_id, inbox_mode: 'queue' });
    browser = await launch();
  });
  afterEach(async () => {
    for (const each of visits.splice(0)) await each.close();
    if (shop) shop.token = null;
  });
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
    await Promise.all([shop?.close(), other?.close(), model?.close()]);
  });

  async function arrive(site = shop, viewport = { width: 1280, height: 800 }): Promise<Visit> {
    const arrived = await visit(browser, { viewport, reducedMotion: 'reduce' });
    visits.push(arrived);
    await arrived.page.goto(site!.origin);
    await arrived.page.getByRole('button', { name: 'Questions?' }).click();
    return arrived;
  }
  const write = async (page: Page, text: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'Your message' }).fill(text);
    await page.keyboard.press('Enter');
  };
  const log = (page: Page) => page.getByRole('log', { name: 'Questions?' });
  const shows = (page: Page, text: string): Promise<void> => log(page).getByText(text).waitFor();
  const items = (page: Page): Promise<string[]> => log(page).locator('.item').allInnerTexts();

  it('answers its visitor and nobody else, and has the conversation after a reload', async () => {
    const [jane, joe] = [await arrive(), await arrive()];
    model.script('It is **green**, see [the log](https://example.com/log).');
    await write(jane.page, 'Is the build green?');
    await shows(jane.page, 'It is green, see the log.');
    expect(await log(jane.page).getByRole('link', { name: 'the log' }).getAttribute('href')).toBe(
      'https://example.com/log',
    );
    model.script('Four.');
    await write(joe.page, 'When is tea?');
    await shows(joe.page, 'Four.');
    expect(await items(joe.page)).toHaveLength(2);
    expect(await items(jane.page)).toHaveLength(2);
    await jane.page.reload();
    await jane.page.getByRole('button', { name: 'Questions?' }).click();
    await shows(jane.page, 'It is green, see the log.');
    expect(await items(jane.page)).toEqual(['You\nIs the build green?', 'Answer\n\nIt is green, see the log.']);
    expect([...jane.complaints, ...joe.complaints]).toEqual([]);
  });

  it('keeps an answer for a page that is closed, and a message while nobody takes it', async () => {
    const { page } = await arrive();
    model.script((response) => {
      void page
        .goto('about:blank')
        .then(() => response.setHeader('content-type', 'application/json').end(JSON.stringify(late)));
    });
    const late = {
      choices: [{ index: 0, message: { role: 'assistant', content: 'While you were away.' }, finish_reason: 'stop' }],
    };
    await write(page, 'Will you answer later?');
    await until('the visitor has left', () => page.url() === 'about:blank');
    await page.goto(shop!.origin);
    await page.getByRole('button', { name: 'Questions? (1)' }).click();
    await shows(page, 'While you were away.');

    await system.kill('adapter-gateway');
    model.script('Back again.');
    await write(page, 'Is anybody there?');
    await page.getByRole('status').filter({ hasText: 'trying again' }).waitFor();
    await system.restart('adapter-gateway');
    await shows(page, 'Back again.');
    expect((await items(page)).filter((text) => text.includes('Is anybody there?'))).toHaveLength(1);
  });

  it('shows an answer while it is written, and goes on in the same place when the engine is killed', async () => {
    const [{ page }, stranger] = [await arrive(), await arrive()];
    const streams: FakeStream[] = [];
    const streaming = (response: Parameters<typeof fakeStream>[0]): void => void streams.push(fakeStream(response));
    model.script(streaming, streaming);
    await write(page, 'What is the sea?');
    await until('the model is asked', () => streams.length === 1);
    await page.getByRole('status').filter({ hasText: 'An answer is being written' }).waitFor();
    expect(await items(page)).toHaveLength(1);
    streams[0]?.write('The sea is');
    await shows(page, 'The sea is');
    await system.kill('engine');
    await system.restart('engine');
    await until('the model is asked again', () => streams.length === 2);
    expect((await items(page)).filter((text) => text.includes('The sea'))).toHaveLength(1);
    streams[1]?.write('The sea is deep');
    await shows(page, 'The sea is deep');
    streams[1]?.write(' and blue.');
    streams[1]?.end();
    await until('the answer has taken its place', async () => {
      const shown = await items(page);
      return (
        shown.length === 2 &&
        shown[1]?.endsWith('The sea is deep and blue.') &&
        (await log(page).locator('[aria-busy]').count()) === 0
      );
    });
    expect(await items(stranger.page)).toEqual([]);
  });

  it('knows a visitor whom the site has signed, in any browser, and refuses a forged one', async () => {
    const signed = (sub: string, secret: string) =>
      new SignJWT({ sub, name: 'Jane' })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime('5m')
        .sign(new TextEncoder().encode(secret));
    shop!.token = await signed('42', identitySecret);
    const { page } = await arrive();
    model.script('Hello Jane.');
    await write(page, 'Hello');
    await shows(page, 'Hello Jane.');
    const elsewhere = await arrive();
    await shows(elsewhere.page, 'Hello Jane.');
    shop!.token = await signed('42', 'a secret that somebody else has made up');
    const forged = await arrive();
    await forged.page.getByRole('status').filter({ hasText: 'Not connected' }).waitFor();
    await write(forged.page, 'Who am I?');
    await forged.page.getByRole('status').filter({ hasText: 'trying again' }).waitFor();
    expect(await items(forged.page)).toEqual(['You\nWho am I?']);
  });

  it('takes files of its visitor, says why it takes others not, and shows those of an answer', async () => {
    const [{ page }, stranger] = [await arrive(), await arrive()];
    const picture = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const pick = async (name: string, mimeType: string, buffer: Buffer): Promise<void> => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Attach files' }).click(),
      ]);
      await chooser.setFiles({ name, mimeType, buffer });
    };
    await pick('notes.txt', 'text/plain', Buffer.from('the notes'));
    await pick('dot.png', 'image/png', picture);
    await pick('run.exe', 'application/x-msdownload', Buffer.from('MZ'));
    const picked = page.getByRole('list', { name: 'Attach files' });
    await picked.getByText('run.exe is of a kind that is not taken here.').waitFor();
    expect(await violations(page)).toEqual([]);
    model.script('I have read them.');
    await write(page, 'Please read these.');
    await shows(page, 'I have read them.');
    expect(await picked.getByRole('listitem').allInnerTexts()).toEqual([expect.stringContaining('run.exe')]);
    await log(page).getByRole('img', { name: 'dot.png' }).waitFor();
    const asked = JSON.stringify(model.requests.at(-1));
    expect(asked).toContain('notes.txt');
    expect(asked).toContain('dot.png');

    const client = new pg.Client({ connectionString: system.databaseUrl });
    await client.connect();
    const { rows } = await client.query(
      'SELECT visitor, organization_id, project_id FROM gateway.web_chat_conversation ORDER BY updated_at DESC LIMIT 1',
    );
    await client.end();
    const { visitor, organization_id: organizationId, project_id: projectId } = rows[0];
    const token = await new ServiceTokens(testServiceKey, 'engine').asService(
      'adapter-gateway',
      organizationId,
      projectId,
    );
    const sent = await fetch(`${system.origin('adapter-gateway')}/internal/adapter-calls/deliver`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        app_id: app,
        channel_address: visitor,
        idempotency_key: 'with-files',
        message: {
          text: 'Your report.',
          attachments: [
            { name: 'report.txt', content_type: 'text/plain', content_base64: btoa('the report') },
            { name: 'chart.png', content_type: 'image/png', content_base64: picture.toString('base64') },
          ],
        },
      }),
    });
    expect(sent.status).toBeLessThan(300);
    await shows(page, 'Your report.');
    await log(page).getByRole('img', { name: 'chart.png' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      log(page).getByRole('button', { name: 'report.txt' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('report.txt');
    expect(readFileSync(await download.path(), 'utf8')).toBe('the report');
    expect(await items(stranger.page)).toEqual([]);
  });

  it('shows a file that its agent sends, to a contact who is admitted', async () => {
    const { page } = await arrive();
    model.script('Hello.');
    await write(page, 'I am new here');
    await shows(page, 'Hello.');
    const { data } = await system.api<{ data: { id: string; contact_id: string | null }[] }>('GET', '/api/v1/sessions');
    await system.api('POST', `/api/v1/contacts/${data[0]?.contact_id}/admit`, {});
    // What it wrote as a stranger stays untrusted as long as the agent sees it.
    const client = new pg.Client({ connectionString: system.databaseUrl });
    await client.connect();
    await client.query("UPDATE engine.turn SET content_trust = 'own' WHERE session_id = $1", [data[0]?.id]);
    await client.end();
    await system.api('PATCH', `/api/v1/agents/${agentId}`, { tools: ['send_file'], may_do: 'write' });
    const report = JSON.stringify({ name: 'report.csv', text: 'day;sum' });
    model.script([{ name: 'send_file', arguments: report }], 'Your report is attached.');
    await write(page, 'Please send me the report');
    await shows(page, 'Your report is attached.');
    const [download] = await Promise.all([
      page.waitForEvent('download', { timeout: 15_000 }),
      log(page).getByRole('button', { name: 'report.csv' }).click({ timeout: 15_000 }),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toBe('day;sum');
    await system.api('PATCH', `/api/v1/agents/${agentId}`, { tools: [] });
  });

  it('hears a voice note once, and its words stand in the conversation and on the event', async () => {
    const provider = await fakeProvider();
    try {
      provider.answer(() => ({ json: { text: 'Where is my parcel? I have waited for it since Monday.' } }));
      const ears = { name: 'ears', kind: 'openai-compatible', base_url: provider.url, transcription_model: 'whisper' };
      const { id } = await system.api<{ id: string }>('POST', '/api/v1/providers', ears);
      const { page } = await arrive();
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Attach files' }).click(),
      ]);
      await chooser.setFiles({ name: 'note.wav', mimeType: 'audio/wav', buffer: sampleAudio() });
      model.script('It comes tomorrow.');
      await write(page, 'Please listen');
      await shows(page, 'It comes tomorrow.');
      expect(JSON.stringify(model.requests.at(-1))).toContain('Where is my parcel?');
      expect(provider.requests).toHaveLength(1);

      const owner = await visit(browser, {});
      visits.push(owner);
      await signIn(owner, await system.ownerLink());
      const { data } = await system.api<{ data: { id: string; project_id: string }[] }>('GET', '/api/v1/sessions');
      const [session] = data;
      await owner.page.goto(`${system.origin('portal')}/p/${session?.project_id}/conversations/${session?.id}`);
      const note = owner.page.getByRole('figure', { name: /^Voice note .*note.wav.*, as text$/ });
      await note.getByText('Where is my parcel?').waitFor({ timeout: 15_000 });
      expect(await violations(owner.page)).toEqual([]);
      await owner.picture('voice-note-conversation');
      await owner.page.getByRole('link', { name: 'Event', exact: true }).first().click();
      await owner.page
        .getByText(/The voice note .*note.wav.* as text, by .*ears\/whisper/)
        .waitFor({ timeout: 15_000 });
      await owner.picture('voice-note-event');
      await system.api('DELETE', `/api/v1/providers/${id}`);
      expect(owner.complaints).toEqual([]);
    } finally {
      await provider.close();
    }
  });

  it('is of no use on a page of another origin', async () => {
    const before = (await system.outcomesOf(app)).size;
    const { page } = await arrive(other);
    await write(page, 'Hello?');
    await page.getByRole('status').filter({ hasText: 'This could not be sent.' }).waitFor();
    expect(await items(page)).toEqual(['You\nHello?']);
    expect((await system.outcomesOf(app)).size).toBe(before);
    // It can read that, and asks no more. The browser logs the refusals that it reads.
    await page.reload();
    await page.getByRole('button', { name: 'Questions?' }).click();
    await page.getByRole('status').filter({ hasText: 'This chat is not available.' }).waitFor();
  });

  it('is set up in the console: a snippet to copy, and a preview that is answered', async () => {
    const owner = await visit(browser, {});
    visits.push(owner);
    const { page } = owner;
    await signIn(owner, await system.ownerLink());
    await page.getByRole('link', { name: 'Integrations' }).click();
    await page.getByRole('article', { name: 'Web chat' }).first().getByRole('link').click();
    const section = page.getByRole('region', { name: 'On your pages' });
    await section.getByRole('textbox', { name: 'Words of the button' }).fill('Ask "us"');
    const snippet = section.getByRole('group', { name: 'Put this at the end of each page' });
    expect(await snippet.textContent()).toBe(
      `<script src="${system.origin('portal')}/web-chat.js" data-app="${app}" data-title="Ask &quot;us&quot;" async></script>`,
    );
    await section.getByRole('switch', { name: 'Visitors are signed by your server' }).click();
    expect(await snippet.textContent()).toContain('window.gatehouseChatToken');
    expect(await violations(page)).toEqual([]);
    await owner.picture('web-chat-setup');
    const [preview] = await Promise.all([
      page.context().waitForEvent('page'),
      section.getByRole('link', { name: 'Preview' }).click(),
    ]);
    await preview.getByRole('button', { name: 'Ask "us"' }).click();
    model.script('It works.');
    await write(preview, 'Does it work?');
    await preview.getByRole('log', { name: 'Ask "us"' }).getByText('It works.').waitFor();
    expect(owner.complaints).toEqual([]);
  });

  it('is used by keyboard, is accessible, and fits a phone', async () => {
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
    ]) {
      const here = await arrive(shop, viewport);
      const { page } = here;
      model.script(
        '# Steps\n\n- one\n- `two`\n\n```\nnpm run a-very-long-command --with=many-arguments --that=do-not-fit\n```',
      );
      await write(page, '<img src=x onerror=alert(1)>');
      await shows(page, '<img src=x onerror=alert(1)>');
      await shows(page, 'npm run');
      expect(await violations(page)).toEqual([]);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(width).toBeLessThanOrEqual(viewport.width);
      await here.picture(`web-chat-${viewport.width}`);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Enter');
      await page.getByRole('textbox', { name: 'Your message' }).waitFor();
      expect(here.complaints).toEqual([]);
    }
  });
});
