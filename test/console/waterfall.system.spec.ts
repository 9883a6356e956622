import type { Browser, Page } from 'playwright-core';
import { type FakeModel, fakeModel } from '../../apps/engine/src/testing/fake-model.js';
import type { InstalledApp } from '../system/api.js';
import { openSink, type Sink } from '../system/sink.js';
import { startSmallSystem, type System } from '../system/system.js';
import { post } from '../system/webhook.js';
import { isForEverybody, violations } from './accessibility.js';
import { inBrowser, launch, signIn, visit, type Visit } from './browser.js';

/** What a call of the fake costs: it uses 15 tokens. */
const prices = JSON.stringify({ fake: { input: 100, output: 300 } });

inBrowser('the waterfall of an event', () => {
  let browser: Browser;
  let system: System;
  let sink: Sink;
  let model: FakeModel;
  let person: Visit;
  let page: Page;
  let project: string;
  let app: InstalledApp;
  let steps: ReturnType<Page['getByRole']>;

  beforeAll(async () => {
    [browser, sink, model] = await Promise.all([launch(), openSink(), fakeModel()]);
    const settings = { MODEL_BASE_URL: model.url, MODEL_NAME: 'fake', MODEL_PRICES: prices, MODEL_CURRENCY: 'EUR' };
    system = await startSmallSystem({ ...settings, MODEL_STREAMING: '0' });
    person = await visit(browser, { locale: 'en-GB' });
    page = person.page;
    await signIn(person, await system.ownerLink());
    project = new URL(page.url()).pathname.split('/').slice(0, 3).join('/');
    app = await system.api<InstalledApp>('POST', '/api/v1/apps', { name: 'Desk', kind: 'builtin' });
    const agent = { name: 'Clerk', instructions: 'Help.', tools: ['http_request'] };
    const { id: agent_id } = await system.api<{ id: string }>('POST', '/api/v1/agents', agent);
    const channel = { agent_id, reply_address: `${sink.url}/desk` };
    await system.api('PUT', `/api/v1/channels/${app.id}`, channel);
    steps = page.getByRole('list', { name: 'Steps' });
  });

  afterAll(async () => {
    await browser?.close();
    await system?.stop();
    await Promise.all([sink?.close(), model?.close()]);
  });

  const open = (path: string): Promise<unknown> => page.goto(`${system.origin('portal')}${project}${path}`);

  it('has the calls of a turn as bars with tokens and cost, attempts that failed alike as one line, and each text once', async () => {
    const call = { name: 'http_request', arguments: JSON.stringify({ method: 'GET', url: 'http://10.0.0.1/tea' }) };
    model.script([call], 'The tea is on its way.');
    let asked = 0;
    sink.answer = () => ({ status: (asked += 1) <= 4 ? 500 : 200 });
    const { id } = await post(app.webhook_url, { text: 'Where is my tea?' });
    await open(`/events/${id}`);
    await page.getByText('Every reply was delivered.').waitFor();

    const rows = steps.getByRole('listitem');
    expect(await rows.count()).toBe(3);
    const [first, tool, last] = [rows.nth(0), rows.nth(1), rows.nth(2)];
    expect(await first.textContent()).toMatch(/Model call \(fake\)\s*15 tokens · €0\.0025/);
    expect(await tool.textContent()).toMatch(/http_request\s*Failed/);
    expect(await last.textContent()).toContain('Model call (fake)');
    // Each on the axis of the event: in order, and within the turn.
    const turn = page.getByRole('button', { name: /^Agent’s turn/ });
    const drawn = await Promise.all(
      [
        ...[first, tool, last, turn].map((row) => row.locator('[class*=bar]')),
        // What it waited for is before its work.
        turn.locator('[class*=wait]:not([class*=waited])'),
      ].map((locator) => locator.elementHandle()),
    );
    // At one moment: the axis grows with the event.
    const [begun, called, answered, whole, waited] = await page.evaluate(
      (elements) =>
        elements.map((element) => {
          const { left, right } = element.getBoundingClientRect();
          return { left, right };
        }),
      drawn.filter((handle) => handle !== null),
    );
    expect(begun!.left).toBeLessThanOrEqual(called!.left);
    expect(called!.left).toBeLessThanOrEqual(answered!.left);
    // Pixels are rounded, and so are the milliseconds that they stand for.
    expect(begun!.left + 8).toBeGreaterThanOrEqual(whole!.left);
    expect(waited!.right).toBeLessThanOrEqual(begun!.left + 8);

    const attempts = page.getByRole('list', { name: 'Attempts' }).getByRole('listitem');
    expect(await attempts.count()).toBe(2);
    expect(await attempts.first().textContent()).toMatch(/Attempts 1 to 4.*4 × 500 in \d+ m?s/);
    expect(await page.getByText('The tea is on its way.').count()).toBe(1);
    expect(await page.getByText('Where is my tea?').count()).toBe(2);
    await page.getByText(/^Waited .* in 4 waits to be tried again/).waitFor();
    await isForEverybody(person, 'waterfall');
    await tool.getByRole('button').click();
    await tool.getByText('10.0.0.1').first().waitFor();
    expect(await violations(page)).toEqual([]);
    expect(person.complaints).toEqual([]);
  });

  it('has a replay beside its original: words, calls and cost, and who asked for it', async () => {
    const call = { name: 'http_request', arguments: JSON.stringify({ method: 'GET', url: 'http://10.0.0.1/milk' }) };
    model.script([call], 'No milk today.');
    const { id } = await post(app.webhook_url, { text: 'Is there milk?' });
    await open(`/events/${id}`);
    await page.getByText('Every reply was delivered.').waitFor();
    model.script('The milk is in the fridge.');
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('menuitem', { name: /^Rehearse it/ }).click();
    const beside = page.getByRole('table', { name: 'Replay beside its original' });
    const row = (name: string) => beside.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });
    await beside.getByText('The milk is in the fridge.').waitFor();
    expect(await row('Words').getByRole('cell').allTextContents()).toEqual([
      'No milk today.',
      'The milk is in the fridge.',
    ]);
    expect(await row('Calls').getByRole('cell').allTextContents()).toEqual(['http_request Failed', 'None']);
    expect(await row('Cost').getByRole('cell').allTextContents()).toEqual(['€0.005', '€0.0025']);
    expect(await page.getByRole('combobox', { name: 'Replay', exact: true }).inputValue()).toMatch(
      /^Rehearsal by Owner, \d/,
    );
    await page.getByText('Replayed by Owner').waitFor();
    expect(await page.getByText(/user:mem_/).count()).toBe(0);
    await isForEverybody(person, 'replay');
    expect(person.complaints).toEqual([]);
  });
});
