import { until } from '#libs/testing';
import type { Browser, Page } from 'playwright-core';
import type { InstalledApp } from '../system/api.js';
import { openSink, type Sink } from '../system/sink.js';
import { startSystem, type System } from '../system/system.js';
import { post } from '../system/webhook.js';
import { isForEverybody } from './accessibility.js';
import { inBrowser, launch, signIn, visit, type Visit } from './browser.js';

/** Time to start a whole system and a browser. */
const startMs = 300_000;

inBrowser('Home, events and the simulator', () => {
  let browser: Browser;
  let system: System;
  let sink: Sink;
  let person: Visit;
  let page: Page;
  let project: string;

  beforeAll(async () => {
    browser = await launch();
    sink = await openSink();
    system = await startSystem();
    person = await visit(browser, {});
    page = person.page;
    await signIn(person, await system.ownerLink());
    project = new URL(page.url()).pathname.split('/').slice(0, 3).join('/');
  }, startMs);

  afterAll(async () => {
    await browser?.close();
    await system?.stop();
    await sink?.close();
  });

  const open = (path: string): Promise<unknown> => page.goto(`${system.origin('portal')}${project}${path}`);
  const see = (text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();
  const press = (name: string | RegExp): Promise<void> => page.getByRole('button', { name }).first().click();
  const install = (body: object): Promise<InstalledApp> => system.api<InstalledApp>('POST', '/api/v1/apps', body);
  const replyTo = (appId: string, path: string, more: object = {}): Promise<unknown> =>
    system.api('PUT', `/api/v1/channels/${appId}`, { reply_address: `${sink.url}${path}`, ...more });

  it('leads through the first five minutes', async () => {
    await see('The first five minutes');
    await see('0 of 5 done');
    expect(await page.getByRole('textbox', { name: 'Webhook URL' }).inputValue()).toBe(system.webhookUrl);
    expect(await page.getByRole('group', { name: 'The same from a terminal' }).textContent()).toContain(
      `curl -X POST '${system.webhookUrl}'`,
    );
    await isForEverybody(person, 'home-new');

    await press('Send a sample');
    await see('Set a reply address in the App’s channel. The text is below.');
    await see(/^Rehearsal model/);

    await page.getByRole('link', { name: 'Open its channel' }).click();
    const channel = page.getByRole('dialog');
    await channel.getByRole('textbox', { name: 'Reply address' }).fill(`${sink.url}/built-in`);
    await channel.getByRole('button', { name: 'Save' }).click();
    await channel.waitFor({ state: 'detached' });
    await see(`${sink.url}/built-in`);
    await open('');
    await see('2 of 5 done');
    await page.getByRole('link', { name: 'Open the App' }).click();
    await page.getByRole('heading', { name: 'Webhook', level: 1 }).waitFor();
    await press('Turn on');
    await page.getByRole('dialog', { name: 'Signature' }).getByRole('button', { name: 'Turn on' }).click();
    await press('I have saved it');
    await see('HMAC SHA256 in x-signature-256');
    await open('');
    await see('3 of 5 done');
    await press('Verify');
    await see('4 of 5 done');
    const { data } = await system.api<{ data: { id: string }[] }>('GET', '/api/v1/events?limit=50');
    expect(new Set(data.map(({ id }) => id)).size).toBe(data.length);
    await press('Keep the rehearsal model');
    await page.getByText('The first five minutes').waitFor({ state: 'detached' });
    await see('Messages per minute, by outcome');
    await isForEverybody(person, 'home');
    expect(person.complaints).toEqual([]);
  });

  it('shows the numbers of the minute under the pointer', async () => {
    await open('');
    const chart = page.getByRole('img', { name: /Routed [1-9]/ });
    await chart.scrollIntoViewIfNeeded();
    await until('the pointer is over a minute with messages', async () => {
      const { x, y, width, height } = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      // The minutes of the messages above are the last of the hour.
      for (let left = width; left > width / 2; left -= 4) {
        await page.mouse.move(x + left, y + height / 2);
        if (/Routed[1-9]/.test((await chart.textContent()) ?? '')) return true;
      }
      return false;
    });
    expect(await chart.textContent()).toMatch(/Routed[1-9]\d*Not routed\d+.*\d:\d\d/);
  });

  it('follows an event live, from its bytes to the delivered reply', async () => {
    await open('/simulator');
    await press('Send');
    await see('Every reply was delivered.');
    await isForEverybody(person, 'simulator');
    await page.getByRole('link', { name: 'Open the event' }).click();
    await page.getByRole('button', { name: /^Received/ }).click();
    await see('x-signature-256');
    expect(await page.getByRole('row', { name: /x-signature-256/ }).textContent()).toMatch(/sha256=.{0,12}….*Masked/);
    await see('The signature is valid (hmac-sha256).');
    await see('It answers the conversation.');
    const [arrival] = sink.arrivals;
    expect(arrival?.path).toBe('/built-in');
    await see(String(arrival?.json['text']));
    // The URL has what is open.
    await page.reload();
    await see('x-signature-256');
    await isForEverybody(person, 'event');
  });

  it('keeps a step open when an earlier entry is read later, and reads again what could not be read', async () => {
    const app = await install({ name: 'Late', kind: 'builtin' });
    await replyTo(app.id, '/late');
    const { id } = await post(`${app.webhook_url}?twice=1&twice=1`, { text: 'Read late' });
    await system.ended(id);
    let [late, away] = [true, true];
    await page.route(`**/api/v1/events/${id}`, async (route) => {
      const answer = await route.fetch();
      const event = (await answer.json()) as { timeline: { stage: string }[] };
      const timeline = event.timeline.filter(({ stage }) => !late || stage !== 'received');
      await route.fulfill({ response: answer, json: { ...event, timeline } });
    });
    const parts = [`**/api/v1/events/${id}/request`, /\/api\/v1\/deliveries\?/];
    for (const part of parts) {
      await page.route(part, (route) => (away ? route.fulfill({ status: 500, body: 'away' }) : route.continue()));
    }
    await open(`/events/${id}`);
    const parsed = page.getByRole('button', { name: /^Parsed/ }).first();
    await parsed.click();
    expect(await parsed.getAttribute('aria-expanded')).toBe('true');
    const reply = page.locator('section', { has: page.getByRole('heading', { name: 'The reply' }) });
    await reply.getByText('http_500').waitFor();
    expect(await reply.getByText(/no reply|not sent|nothing was sent/i).count()).toBe(0);

    away = false;
    await reply.getByRole('button', { name: 'Try again' }).click();
    await reply.getByText(`${sink.url}/late`).waitFor();
    late = false;
    await system.api('POST', `/api/v1/events/${id}/replay`, { deliver: false });
    const received = page.getByRole('button', { name: /^Received/ });
    await received.waitFor();
    expect(await parsed.getAttribute('aria-expanded')).toBe('true');
    away = true;
    await received.click();
    const step = page.getByRole('listitem').filter({ has: received });
    await step.getByText('http_500').waitFor();
    away = false;
    await step.getByRole('button', { name: 'Try again' }).click();
    await step.getByRole('row', { name: 'twice 1' }).nth(1).waitFor();
    for (const part of [`**/api/v1/events/${id}`, ...parts]) await page.unroute(part);
  });

  it('refuses what is unsigned or tampered with, in the simulator and in the list of refused requests', async () => {
    for (const kind of ['unsigned', 'tampered']) {
      await open(`/simulator?kind=${kind}`);
      await press('Send');
      await see('It was refused. No event was created.');
      await see('401');
    }
    await open('/events?view=refused');
    await see('missing_signature');
    await see('bad_signature');
  });

  it('says why nothing happened, tries a filter, and replays by today’s rules', async () => {
    const app = await install({ name: 'Billing', kind: 'builtin' });
    await replyTo(app.id, '/billing', { route_policy: 'triggers' });
    const { id: workflow_id } = await system.api<{ id: number }>('POST', '/api/v1/workflows', {
      name: 'Small invoices',
      instructions: 'reply: Booked {{metadata.number}}.',
    });
    const rule = { app_id: app.id, workflow_id, event_types: ['invoice.paid'], where: 'metadata.amount <= 100' };
    const trigger = await system.api<{ id: string }>('POST', '/api/v1/triggers', rule);
    const metadata = { event_type: 'invoice.paid', amount: 800, number: 'R-7' };
    const { id } = await post(app.webhook_url, { text: 'Invoice R-7 was paid', metadata });
    await system.ended(id);

    await open(`/events/${id}`);
    await see(/^No trigger matched, and it did not go/);
    await see('metadata.amount <= 100: metadata.amount is 800');
    await press('Test a filter');
    await page.getByRole('textbox', { name: 'Condition' }).fill('metadata.amount > 100');
    await page.getByRole('cell', { name: 'metadata.amount > 100' }).waitFor();
    await see('It matches.');
    expect(page.url()).toContain('test=');
    await page.keyboard.press('Escape');

    await system.api('PATCH', `/api/v1/triggers/${trigger.id}`, { where: 'metadata.amount > 100' });
    await press('Replay');
    await page.getByRole('menuitem', { name: /^Rehearse it/ }).click();
    await see('Rehearsal: written, not sent.');
    await see('Booked R-7.');
    expect(sink.arrivals.filter(({ path }) => path === '/billing')).toEqual([]);
  });

  it('redrives a dead reply, and sees it arrive', async () => {
    const app = await install({ name: 'Deploys', kind: 'builtin' });
    await replyTo(app.id, '/deploys');
    sink.answer = () => ({ status: 410 });
    const { id } = await post(app.webhook_url, { text: 'Deploy 42 is out' });
    await open(`/events/${id}`);
    await see('Fix the address or the receiver, then redrive it.');
    sink.answer = () => ({ status: 200 });
    await press('Redrive');
    await page.getByRole('dialog').getByRole('button', { name: 'Redrive' }).click();
    await see('Every reply was delivered.');
    await see('Attempt 1');
    await until('the reply arrives', () => sink.arrivals.filter(({ path }) => path === '/deploys').length > 1);
  });

  it('says when a reply that waits is sent again and when it expires, and redrives one that has', async () => {
    const app = await install({ name: 'Away', kind: 'builtin' });
    await replyTo(app.id, '/away', { reply_ttl_seconds: 3_600 });
    sink.answer = () => ({ status: 503, headers: { 'retry-after': '1800' } });
    const { id } = await post(app.webhook_url, { text: 'Are you there?' });
    await open(`/events/${id}`);
    await see('The reply waits to be sent again.');
    await see('Next attempt');
    await see('Expires');
    await open(`/integrations/${app.id}?tab=channel&edit=channel`);
    const ttl = page.getByRole('dialog').getByRole('textbox', { name: 'A reply is worth sending for, in minutes' });
    expect(await ttl.inputValue()).toBe('60');

    await replyTo(app.id, '/away', { reply_ttl_seconds: 60 });
    const { id: late } = await post(app.webhook_url, { text: 'And now?' });
    await open(`/events/${late}`);
    await see('A reply was not sent, because it would have come too late.');
    sink.answer = () => ({ status: 200 });
    await press('Redrive');
    await page.getByRole('dialog').getByRole('button', { name: 'Redrive' }).click();
    await see('Every reply was delivered.');
  });

  it('marks a call that failed, and shows only those', async () => {
    const agent = await system.api<{ id: string }>('POST', '/api/v1/agents', {
      name: 'Caller',
      instructions: 'Ask.',
      tools: ['http_request'],
    });
    const workflow = await system.api<{ id: number }>('POST', '/api/v1/workflows', {
      name: 'Asks in vain',
      agent_id: agent.id,
      // Where nothing may be reached.
      instructions: 'call http_request {"method":"GET","url":"http://10.0.0.1/"}\nreply: Tried.',
    });
    const run = await system.api<{ receipt_id: string }>('POST', `/api/v1/workflows/${workflow.id}/runs?wait=60`, {
      message: 'Ask it',
    });
    await open(`/events/${run.receipt_id}`);
    const steps = page.getByRole('list', { name: 'Steps' });
    await steps.getByText('Failed', { exact: true }).waitFor();
    const before = await steps.getByRole('listitem').count();
    await page.getByRole('switch', { name: 'Only failed calls (1)' }).check({ force: true });
    expect(await steps.getByRole('listitem').count()).toBe(1);
    expect(before).toBeGreaterThan(1);
    await isForEverybody(person, 'event-failed-call');
  });

  it('draws a wait as a wait, with what it was for, and not as work', async () => {
    const app = await install({ name: 'Slow', kind: 'builtin', capabilities: ['send', 'receive'] });
    await replyTo(app.id, '/slow');
    let asked = 0;
    sink.answer = () => ((asked += 1) === 1 ? { status: 429, headers: { 'retry-after': '3' } } : { status: 200 });
    const { id } = await post(app.webhook_url, { text: 'Is it slow?' });
    await open(`/events/${id}`);
    await see('Delivered');
    const step = page.locator('li', { has: page.getByText('Delivery', { exact: true }) }).last();
    await step.getByText(/^Waited [34](\.\d)? s for the rate limit of the provider$/).waitFor();
    expect(await step.locator('[class*=wait]:not([class*=waited])').count()).toBeGreaterThan(0);
    // What it took is the two calls, without the pause between them.
    const took = (await step.locator('[class*=took]').first().textContent()) ?? '';
    expect(took).toMatch(/^\d+ ms/);
    await isForEverybody(person, 'event-waited');
    sink.answer = () => ({ status: 200 });
  });

  it('shows events as they arrive, and holds new ones while paused', async () => {
    const app = await install({ name: 'Feed', kind: 'builtin' });
    await replyTo(app.id, '/feed');
    await open(`/events?app=${app.id}`);
    await see('No event matches');
    await see('Live');
    await post(app.webhook_url, { text: 'The first one' });
    await page.getByRole('row', { name: /The first one.*Delivered/ }).waitFor();
    // Any other animation would repaint the page for as long as it is open.
    const moved = await page.evaluate<string[]>(`document.getAnimations()
      .flatMap(({ effect }) => effect.getKeyframes()).flatMap((frame) => Object.keys(frame))`);
    const ofFrames = ['offset', 'computedOffset', 'easing', 'composite'];
    expect(new Set(moved.filter((name) => !ofFrames.includes(name)))).toEqual(new Set(['opacity', 'transform']));
    await page
      .getByRole('row', { name: /The first one/ })
      .locator('time')
      .hover();
    await page
      .getByRole('tooltip')
      .getByText(/ · \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC$/)
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
    await press('Pause');
    await see('Paused');
    await post(app.webhook_url, { text: 'The second one' });
    await see('1 new');
    expect(await page.getByText('The second one').count()).toBe(0);
    await press('1 new');
    await see('The second one');
    await page.reload();
    await see('Paused');
    await isForEverybody(person, 'events');
  });

  it('lists an event by its state only while it has that state', async () => {
    const app = await install({ name: 'By state', kind: 'builtin' });
    await replyTo(app.id, '/state');
    sink.answer = () => ({ status: 503 });
    await open(`/events?app=${app.id}&outcome=delivering`);
    await see('No event matches');
    await post(app.webhook_url, { text: 'On its way' });
    const row = page.getByRole('row', { name: /On its way/ });
    await row.waitFor();
    sink.answer = () => ({ status: 200 });
    await row.waitFor({ state: 'detached' });
    await see('No event matches');
  });

  it('holds new events while one reads further down, also after going back to there', async () => {
    const app = await install({ name: 'Long feed', kind: 'builtin' });
    await replyTo(app.id, '/long');
    const texts = Array.from({ length: 30 }, (_, index) => `Line ${index + 1} of the feed`);
    for (const text of texts) await post(app.webhook_url, { text });
    await open(`/events?app=${app.id}`);
    await page.getByRole('row', { name: /Line 30 of the feed/ }).waitFor();
    const isFurtherDown = () => page.evaluate<boolean>('scrollY > 300');
    await page.getByRole('row', { name: /Line 25 of the feed/ }).hover();
    await page.mouse.wheel(0, 400);
    await until('the list is scrolled', isFurtherDown);
    await post(app.webhook_url, { text: 'One more' });
    await see('1 new');

    const row = page.getByRole('row', { name: /Line 20 of the feed/ });
    await row.getByRole('link').click();
    await see('It answers the conversation.');
    await page.goBack();
    await until('the list is where it was', isFurtherDown);
    await post(app.webhook_url, { text: 'And one more' });
    await see(/^[12] new$/);
    await page.getByRole('button', { name: /^[12] new$/ }).click();
    await page.getByRole('row', { name: /And one more/ }).waitFor();
  });

  it('shows no App ids while their names load', async () => {
    const app = await install({ name: 'Slowly named', kind: 'builtin' });
    await replyTo(app.id, '/named');
    const { id } = await post(app.webhook_url, { text: 'Who sent this?' });
    await system.ended(id);
    const held = Promise.withResolvers<void>();
    await page.route('**/api/v1/apps', async (route) => {
      await held.promise;
      await route.continue();
    });
    await open('/events');
    const row = page.getByRole('row', { name: /Who sent this/ });
    await row.waitFor();
    expect(await row.textContent()).not.toContain('app_');
    held.resolve();
    await row.getByText('Slowly named').waitFor();
    await page.unroute('**/api/v1/apps');
  });

  it('shows a whole error on a phone, with its code and request id', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await open('/events/evt_00000000000000000000000000000000');
    const alert = page.getByRole('alert');
    await alert.getByText('event_not_found').waitFor();
    const box = (await alert.boundingBox())!;
    // A long id is shortened if there is no room for it; its copy button stays.
    const parts = [alert.getByText(/^There is no event/), ...(await alert.getByRole('button').all())];
    expect(parts).toHaveLength(3);
    for (const part of parts) {
      const { x, width } = (await part.boundingBox())!;
      expect(x + width).toBeLessThanOrEqual(box.x + box.width);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('says that nothing answers while the portal is down, and has lost nothing when it is back', async () => {
    const app = await install({ name: 'Steady', kind: 'builtin' });
    await replyTo(app.id, '/steady');
    await open(`/events?app=${app.id}`);
    await see('No event matches');
    await system.kill('portal');
    await see('Gatehouse does not answer. This page retries until it is back.');
    await post(`${system.origin('webhook-ingress')}${new URL(app.webhook_url).pathname}`, { text: 'Sent meanwhile' });
    await system.restart('portal');
    await page.getByText('Gatehouse does not answer.').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /Sent meanwhile.*Delivered/ }).waitFor();
  });
});
