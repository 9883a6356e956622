import { until } from '#libs/testing';
import type { Browser, Page } from 'playwright-core';
import { fakeModel, type FakeStream, fakeStream } from '../../apps/engine/src/testing/fake-model.js';
import { openSink, type Sink } from '../system/sink.js';
import type { InstalledApp } from '../system/api.js';
import { openFakeAdapter, type FakeAdapter } from '../system/fake-adapter.js';
import { startSmallSystem, type System } from '../system/system.js';
import { post } from '../system/webhook.js';
import { violations } from './accessibility.js';
import { inBrowser, launch, signIn, type Visit, visit } from './browser.js';

inBrowser('operating the system in the console', () => {
  let browser: Browser;
  let system: System;
  let sink: Sink;
  let desk: FakeAdapter;
  let owner: Visit;

  beforeAll(async () => {
    desk = await openFakeAdapter('desk', { verification: 'none' });
    [browser, system, sink] = await Promise.all([launch(), startSmallSystem(), openSink()]);
    await system.api('PUT', `/api/v1/channels/${system.appId}`, { reply_address: `${sink.url}/replies` });
    owner = await person(await system.ownerLink());
  });

  afterAll(async () => {
    await browser?.close();
    await system?.stop();
    await sink?.close();
    await desk.close();
  });

  async function person(link: string): Promise<Visit> {
    const made = await visit(browser, { viewport: { width: 1280, height: 900 } });
    await signIn(made, link);
    return made;
  }

  const replied = (text: string): boolean => sink.arrivals.some(({ json }) => String(json['text']).includes(text));
  const goTo = async ({ page }: Visit, name: string): Promise<void> => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
  };
  const tab = ({ page }: Visit, name: string): Promise<void> => page.getByRole('tab', { name }).click();
  const openConversation = async (who: Visit, line: string): Promise<void> => {
    await goTo(who, 'Conversations');
    await who.page.getByRole('row').filter({ hasText: line }).getByRole('link').click();
  };

  it('shows the words of an answer while the agent writes it, and then the answer', async () => {
    const model = await fakeModel();
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/providers', {
      name: 'desk',
      kind: 'openai-compatible',
      base_url: model.url,
      default_model: 'fake',
    });
    try {
      const { page } = owner;
      const streams: FakeStream[] = [];
      model.script('First answer.', (response) => void streams.push(fakeStream(response)));
      await post(system.webhookUrl, { text: 'Is anybody there?', thread_id: 'stream-1' });
      await openConversation(owner, 'stream-1');
      await page.getByText('First answer.').waitFor();
      await post(system.webhookUrl, { text: 'What about the sea?', thread_id: 'stream-1' });
      await until('the model is asked', () => streams.length === 1);
      streams[0]?.write('The sea is');
      await page.getByText('The sea is', { exact: true }).waitFor();
      await page.getByText('Writing …').waitFor();
      streams[0]?.write(' wide.');
      await page.getByText('The sea is wide.', { exact: true }).waitFor();
      expect(await violations(page)).toEqual([]);
      streams[0]?.write('\n![x](https://evil.example/x.png)');
      streams[0]?.end();
      await page.getByText('Writing …').waitFor({ state: 'detached' });
      await page.getByText(/The sea is wide\.\s+\[image removed: evil\.example\]/).waitFor();
      expect(await page.getByText(/The sea is/).count()).toBe(1);
    } finally {
      await system.api('DELETE', `/api/v1/providers/${id}`);
      await model.close();
    }
  });

  it('lists conversations by their newest message, finds them by text, and opens one at its end', async () => {
    const { page } = owner;
    const long = Array.from({ length: 60 }, (_none, line) => `Line ${line} of a long letter`).join('\n');
    for (const text of [long, 'A short question']) await post(system.webhookUrl, { text, thread_id: 'letter' });
    const { id } = await post(system.webhookUrl, { text: 'Something else', thread_id: 'other' });
    await system.reached(id, 'turn', 'succeeded');
    const rows = page
      .getByRole('table', { name: 'Conversations' })
      .getByRole('row')
      .filter({ has: page.getByRole('link') });
    await goTo(owner, 'Conversations');
    await rows.first().getByText('Something else').waitFor();
    await post(system.webhookUrl, { text: 'And the last words', thread_id: 'letter' });
    await rows.first().getByText('And the last words').waitFor();
    await page.getByRole('textbox', { name: 'Message or sender' }).fill('long LETTER');
    await page.waitForURL(/text=long/);
    await rows.filter({ hasText: 'Something else' }).first().waitFor({ state: 'detached' });
    await until('one is found', async () => (await rows.count()) === 1);
    await owner.picture('conversations-found');
    await rows.first().getByRole('link').click();
    await page.getByText('And the last words', { exact: true }).waitFor();
    const answer = page.getByText('Message from webhook: "And the last words"');
    await answer.waitFor();
    const inView = async () => ((await answer.boundingBox())?.y ?? Infinity) < 900;
    await until('it is at its end', inView);
    await owner.picture('conversation-at-its-end');
    // A reader who has not left is taken along, also by what grows in the frame in which the page scrolls.
    await page.evaluate(`(() => {
      const more = Object.assign(document.createElement('li'), { id: 'more', innerText: 'More\\n'.repeat(90) });
      document.querySelector('section[aria-label="Conversation"] ol').append(more);
      document.scrollingElement.scrollBy(0, -1);
    })()`);
    const more = page.locator('#more');
    await until('its end is in view again', async () => (await more.boundingBox())!.y < -500);
    await page.evaluate(`document.querySelector('#more').remove()`);
    // Who reads further up stays there.
    await page.mouse.move(500, 400);
    await page.mouse.wheel(0, -4_000);
    await until('it was scrolled up', async () => !(await inView()));
    await post(system.webhookUrl, { text: 'One more', thread_id: 'letter' });
    await page.getByText('Message from webhook: "One more"').waitFor();
    expect(await inView()).toBe(false);
  });

  it('takes over, answers as a person, and hands back', async () => {
    const { page } = owner;
    const thread_id = 'order-4711';
    await post(system.webhookUrl, { text: 'Where is my order?', thread_id });
    await openConversation(owner, 'Where is my order?');
    await page.getByText('Message from webhook: "Where is my order?"').waitFor();
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByText(/Owner took over/).waitFor();

    await post(system.webhookUrl, { text: 'Is there a person?', thread_id });
    await page.getByText('Waits for your answer').waitFor();
    await page.getByRole('textbox', { name: 'Your message' }).fill('Yes: your parcel leaves today.');
    await page.getByRole('button', { name: 'Send' }).click();
    await until('the sender has the answer', () => replied('Yes: your parcel leaves today.'));
    const own = page.getByRole('listitem').filter({ hasText: 'Yes: your parcel leaves today.' });
    await own.getByText('Delivered').waitFor();
    await page.getByText('Waits for your answer').waitFor({ state: 'detached' });
    await owner.picture('conversation');
    expect(await violations(page)).toEqual([]);

    await page.getByRole('button', { name: 'Hand back' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Hand back' }).click();
    await page.getByText(/Owner handed back/).waitFor();
    await page.getByText('Handled by a person').waitFor();
    await post(system.webhookUrl, { text: 'Thank you!', thread_id });
    await page.getByText('Message from webhook: "Thank you!"').waitFor();
  });

  it('shows messages that came at once in their order', async () => {
    const thread_id = 'burst';
    const texts = Array.from({ length: 16 }, (_, index) => `Line ${index + 1} of a burst`);
    for (const text of texts) await post(system.webhookUrl, { text, thread_id });
    await openConversation(owner, 'Line 16 of a burst');
    const { page } = owner;
    const answers = page.getByText(/Message from webhook: "Line \d+ of a burst"/);
    await until('all are answered', async () => (await answers.count()) === texts.length);
    const shown = await answers.allTextContents();
    expect(shown.map((text) => /Line \d+ of a burst/.exec(text)?.[0])).toEqual(texts);
    const delivered = page.getByRole('listitem').filter({ has: answers }).getByText('Delivered');
    await until('each says that it was delivered', async () => (await delivered.count()) === texts.length);
  });

  it('invites a member, who may only read until the role allows more', async () => {
    const { page } = owner;
    await goTo(owner, 'Settings');
    await page.getByRole('button', { name: 'Invite a member' }).click();
    await page.getByRole('textbox', { name: 'Email address' }).fill('vera@example.com');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const link = await page.getByRole('textbox', { name: 'Sign-in link' }).inputValue();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    const viewer = await person(link);

    await openConversation(viewer, 'Thank you!');
    const takeOver = viewer.page.getByRole('button', { name: 'Take over' });
    expect(await takeOver.getAttribute('aria-disabled')).toBe('true');
    expect(await violations(viewer.page)).toEqual([]);
    await takeOver.hover();
    await viewer.page.getByRole('tooltip').getByText('Your role does not include channels:write').waitFor();
    expect(await refusal(viewer.page)).toBe('scope_missing');

    await page.getByRole('row').filter({ hasText: 'vera@example.com' }).getByRole('link').click();
    await page.getByRole('heading', { name: 'vera', level: 1 }).waitFor();
    await owner.picture('member');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'Operator' }).click();
    await page.getByRole('button', { name: 'Make Operator' }).click();
    // The open page learns of its new role by itself.
    await takeOver.click();
    await viewer.page.getByText('vera took over').waitFor();
    await viewer.close();
  });

  /** The API's answer to a takeover request that bypasses the page. */
  async function refusal(page: Page): Promise<string> {
    const id = new URL(page.url()).pathname.split('/').at(-1);
    return page.evaluate<string>(`(async () => {
      const { csrf_token } = await (await fetch('/api/v1/session')).json();
      const headers = { 'x-csrf-token': csrf_token };
      const answer = await fetch('/api/v1/sessions/${id}/takeover', { method: 'POST', headers });
      return (await answer.json()).code;
    })()`);
  }

  it('ends the session of another browser, which returns to the same page after signing in', async () => {
    const { page } = owner;
    const other = await person(await system.ownerLink());
    await goTo(other, 'Conversations');
    await goTo(owner, 'Settings');
    await tab(owner, 'My sessions');
    const theirs = page.getByRole('row').filter({ hasText: 'Chrome' }).filter({ hasNotText: 'This browser' });
    await theirs.getByRole('button', { name: 'End' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await theirs.waitFor({ state: 'detached' });
    await other.page.getByRole('heading', { name: 'Sign in to Gatehouse' }).waitFor();
    const token = new URL(await system.ownerLink()).hash;
    await other.page.evaluate(`location.assign('${token}')`);
    await other.page.getByRole('heading', { name: 'Conversations', level: 1 }).waitFor();
    await other.close();
  });

  it('groups what failed by cause, resolves it, shows that it came again, and redrives it', async () => {
    const { page } = owner;
    sink.answer = () => ({ status: 400 });
    await system.api('POST', '/api/v1/agents', { name: 'Changed before it', instructions: '' });
    for (const thread_id of ['a', 'b', 'c']) await post(system.webhookUrl, { text: 'a lost cause', thread_id });
    await goTo(owner, 'Operations');
    const problem = page.getByRole('article').filter({ hasText: '3 messages' });
    await problem.getByText('1 person').waitFor();
    await problem.getByRole('button', { name: 'The last change before it' }).click();
    await problem.getByText('Changed before it').waitFor();
    await owner.picture('problems');
    expect(await violations(page)).toEqual([]);
    await problem.getByRole('button', { name: 'Resolve' }).click();
    await page.getByText('No problems').waitFor();
    await post(system.webhookUrl, { text: 'a lost cause', thread_id: 'd' });
    const reopened = page.getByRole('article').filter({ hasText: '4 messages' });
    await reopened.getByText('Came again').waitFor();
    await reopened.getByRole('combobox', { name: 'Mute' }).click();
    await page.getByRole('option', { name: 'A day' }).click();
    await page.getByText('No problems').waitFor();
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Muted' }).click();
    sink.answer = () => ({ status: 200 });
    await reopened.getByRole('button', { name: 'Redrive 4' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Redrive 4' }).click();
    await page.getByText('Redrive finished: 4 dead letters').waitFor();
    await owner.picture('problems-redriven');
  });

  it('mutes two causes that are selected, and redrives the messages of both', async () => {
    const { page } = owner;
    sink.answer = () => ({ status: 400 });
    const desks: string[] = [];
    for (const name of ['North', 'South']) {
      const desk = await system.api<InstalledApp>('POST', '/api/v1/apps', { name, kind: 'builtin' });
      desks.push(desk.id);
      await system.api('PUT', `/api/v1/channels/${desk.id}`, { reply_address: `${sink.url}/${name}` });
      await post(desk.webhook_url, { text: `a cause of ${name}`, thread_id: name });
    }
    await goTo(owner, 'Operations');
    const causes = page.getByRole('article').filter({ hasText: /North|South/ });
    await until('both causes are there', async () => (await causes.count()) === 2);
    const bar = page.getByRole('region', { name: 'What is selected' });
    await causes.nth(0).getByRole('checkbox').click();
    await bar.getByText('1 selected').waitFor();
    await causes
      .nth(1)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] });
    await bar.getByText('2 selected').waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('problems-selected');
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await owner.picture('problems-selected-390');
    await page.setViewportSize({ width: 1280, height: 900 });
    await bar.getByRole('button', { name: 'Mute for a day' }).click();
    await bar.getByText('Mute for a day: 2 of 2 done').waitFor();
    await until('both are gone', async () => (await causes.count()) === 0);
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Muted' }).click();
    await until('both are muted', async () => (await causes.count()) === 2);
    for (const at of [0, 1]) await causes.nth(at).getByRole('checkbox').click();
    sink.answer = () => ({ status: 200 });
    await bar.getByRole('button', { name: 'Redrive their messages' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Redrive their messages' }).click();
    await bar.getByText('Redrive their messages: 2 of 2 done').waitFor();
    const arrived = (name: string) =>
      sink.arrivals.some(({ json }) => String(json['text']).includes(`a cause of ${name}`));
    await until('both replies arrived', () => arrived('North') && arrived('South'));
    await until('no letter of them is open', async () => {
      const open = desks.map((id) =>
        system.api<{ data: unknown[] }>('GET', `/api/v1/events/dead-letters?state=open&app_id=${id}`),
      );
      return (await Promise.all(open)).every(({ data }) => data.length === 0);
    });
  });

  it('redrives one dead letter by its button, two that are selected, and the others together, and follows the progress', async () => {
    const { page } = owner;
    sink.answer = () => ({ status: 400 });
    const lost = ['first', 'second', 'third', 'fourth', 'fifth'];
    await Promise.all(lost.map((text) => post(system.webhookUrl, { text: `the ${text} of them`, thread_id: text })));
    await goTo(owner, 'Operations');
    await tab(owner, 'Dead letters');
    const letters = page.getByRole('table', { name: 'Dead letters' }).getByRole('row').filter({ hasText: 'Delivery' });
    await until('all letters are there', async () => (await letters.count()) === lost.length);
    expect(await violations(page)).toEqual([]);
    sink.answer = () => ({ status: 200 });
    const triesOf = (text: string): number =>
      sink.arrivals.filter(({ json }) => String(json['text']).includes(`the ${text} of them`)).length;
    const refused = lost.map(triesOf);
    const arrived = (): string[] => lost.filter((text, index) => triesOf(text) > (refused[index] ?? 0));
    await letters.last().getByRole('button', { name: 'Redrive' }).click();
    await until('its reply arrived', () => arrived().length === 1);
    await until('its letter is gone', async () => (await letters.count()) === lost.length - 1);
    // The third is chosen by its box, and with the Shift key also the one between.
    const box = (row: number) => letters.nth(row).getByRole('checkbox');
    await box(0).click();
    await box(2).click({ modifiers: ['Shift'] });
    await box(0).click();
    const bar = page.getByRole('region', { name: 'What is selected' });
    await bar.getByText('2 selected').waitFor();
    await bar.getByRole('button', { name: 'Redrive' }).click();
    await bar.getByText('Redrive: 2 of 2 done').waitFor();
    await until('their replies arrived', () => arrived().length === 3);
    await until('their letters are gone', async () => (await letters.count()) === lost.length - 3);
    await bar.getByRole('button', { name: 'Clear the selection' }).click();
    await page.getByRole('button', { name: 'Redrive all of these' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Redrive all of these' }).click();
    await page.getByText('Redrive finished: 2 dead letters').waitFor();
    await owner.picture('dead-letters');
    expect(new URL(page.url()).searchParams.has('batch')).toBe(true);
    await page.getByText('No dead letters').waitFor();
    await until('all arrived', () => arrived().length === lost.length);
  });

  it('admits a sender whose messages are held, and merges two contacts of one person', async () => {
    const { page } = owner;
    desk.parsed = (body) => JSON.stringify({ event_type: 'said', is_bot: false, ...JSON.parse(body) });
    const { id: adapter_id } = await system.api<{ id: string }>('POST', '/api/v1/adapters', { url: desk.url });
    const app = { name: 'Desk', kind: 'adapter', adapter_id };
    const { webhook_url } = await system.api<InstalledApp>('POST', '/api/v1/apps', app);
    const held = await post(webhook_url, { sender: 'grace', message: 'May I come in?' });
    await post(webhook_url, { sender: 'hopper', message: 'And I, who am the same?' });
    await goTo(owner, 'Contacts');
    const waiting = page.getByRole('region', { name: 'Waiting to be admitted' }).getByRole('listitem');
    await until('two wait', async () => (await waiting.count()) === 2);
    await waiting.filter({ hasText: 'May I come in?' }).getByRole('button', { name: 'Admit' }).click();
    await page.getByText('grace is admitted. 1 held message was released.').waitFor();
    await system.reached(held.id, 'turn', 'succeeded');
    await waiting.getByRole('link', { name: 'hopper' }).click();
    await page.getByRole('combobox', { name: 'Merge into another contact' }).fill('gra');
    await page.getByRole('option', { name: 'grace' }).click();
    await page.getByRole('button', { name: 'Merge', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Merge' }).click();
    await page.getByText('Merged into').waitFor();
    await owner.picture('contact');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Unmerge' }).click();
    await page.getByText('Merge into another contact').waitFor();
  });

  it('finds who changed what, as a difference', async () => {
    const { page } = owner;
    await goTo(owner, 'Operations');
    await tab(owner, 'Audit log');
    await page.getByRole('combobox', { name: 'What' }).click();
    await page.getByRole('option', { name: 'Member changed' }).click();
    await page.getByRole('button', { name: 'Clear filters' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'Member changed' }).getByRole('link').click();
    const difference = page.getByRole('dialog').getByRole('row').filter({ hasText: 'role' });
    expect(await difference.textContent()).toContain('viewer');
    expect(await difference.textContent()).toContain('operator');
    expect(new URL(page.url()).searchParams.get('action')).toBe('member.changed');
    await page.keyboard.press('Escape');
    const row = page.getByRole('table', { name: 'Audit log' }).getByRole('row').filter({ hasText: 'Member changed' });
    expect(await row.textContent()).toContain('vera');
    await system.api('POST', '/api/v1/agents', { name: 'Bookkeeper', instructions: '' });
    await goTo(owner, 'Operations');
    await tab(owner, 'Audit log');
    await page.getByRole('row').filter({ hasText: 'Agent created' }).getByText('Bookkeeper').waitFor();
    await owner.picture('audit-names');
  });

  it.each(['light', 'dark'] as const)('has accessible pages, in %s', async (colorScheme) => {
    const { page } = owner;
    await page.emulateMedia({ colorScheme });
    const found: string[] = [];
    for (const [nav, ...tabs] of pages) {
      await goTo(owner, nav);
      for (const name of tabs.length === 0 ? [null] : tabs) {
        if (name) await tab(owner, name);
        await page.locator('main .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
        await owner.picture(`${nav}-${name ?? ''}-${colorScheme}`);
        found.push(...(await violations(page)).map((violation) => `${nav} ${name}: ${violation}`));
      }
    }
    expect(found).toEqual([]);
    expect(owner.complaints).toEqual([]);
  });

  const pages: [string, ...string[]][] = [
    ['Conversations'],
    ['Contacts'],
    ['Usage'],
    ['Operations', 'Problems', 'Queues', 'Dead letters', 'Deliveries', 'Refusals', 'Audit log'],
    ['Settings', 'Members', 'Roles', 'API keys', 'Projects', 'My sessions'],
  ];
});
