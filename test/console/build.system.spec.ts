import { until } from '#libs/testing';
import { fakeModel } from '../../apps/engine/src/testing/fake-model.js';
import type { Browser } from 'playwright-core';
import { openSink, type Sink } from '../system/sink.js';
import { startSmallSystem, type System } from '../system/system.js';
import { post } from '../system/webhook.js';
import { violations } from './accessibility.js';
import { inBrowser, launch, signIn, type Visit, visit } from './browser.js';
import { type ChangingMcpServer, openChangingMcpServer } from './changing-mcp-server.js';

const source = `def order_total(prices: list[float], currency: Colour = "EUR") -> str:
    """Adds up the prices of an order."""
    print("adding", len(prices))
    return f"{sum(prices):.2f} {currency}"
`;
const schemes = ['light', 'dark'] as const;

inBrowser('what is built in the console', () => {
  let browser: Browser;
  let system: System;
  let sink: Sink;
  let mcp: ChangingMcpServer;
  let owner: Visit;
  let project: string;
  let workflowId: number;
  let agentId: string;

  beforeAll(async () => {
    [browser, sink, mcp] = await Promise.all([launch(), openSink(), openChangingMcpServer()]);
    // These tests do not measure how fast Python sandboxes start.
    system = await startSmallSystem({ PYTHON_START_MS: '120000' });
    owner = await visit(browser, { colorScheme: 'light' });
    await signIn(owner, await system.ownerLink());
    project = new URL(owner.page.url()).pathname.split('/').slice(0, 3).join('/');
    const { data } = await system.api<{ data: { id: string; role: string }[] }>('GET', '/api/v1/members');
    const me = data.find(({ role }) => role === 'owner')?.id;
    const call = JSON.stringify({ method: 'POST', url: `${sink.url}/orders`, body: { item: 'tea' } });
    const agent = await system.api<{ id: string }>('POST', '/api/v1/agents', {
      name: 'Buyer',
      instructions: `call http_request ${call}\nreply: ordered, {{result.status}}`,
      tools: ['http_request'],
      may_do: 'read',
      approvers: [`user:${me}`, 'contact:con_colleague'],
    });
    agentId = agent.id;
    const workflow = { name: 'Buy', instructions: 'Buy tea.', agent_id: agentId };
    workflowId = (await system.api<{ id: number }>('POST', '/api/v1/workflows', workflow)).id;
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
    await Promise.all([sink?.close(), mcp?.close()]);
  });

  const open = async ({ page }: Visit, path: string, heading: string): Promise<void> => {
    await page.goto(`${system.origin('portal')}${project}${path}`);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  };
  const run = (message: string): Promise<{ id: string }> =>
    system.api('POST', `/api/v1/workflows/${workflowId}/runs`, { message });
  const ended = (id: string): Promise<{ state: string; reply_text: string | null }> =>
    until(`the run ${id} ended`, async () => {
      const read = await system.api<{ state: string; reply_text: string | null }>('GET', `/api/v1/runs/${id}`);
      return ['succeeded', 'failed'].includes(read.state) ? read : null;
    });

  const received = async (message: string): Promise<void> => {
    const { id } = await post(system.webhookUrl, { task: message });
    await system.ended(id);
  };

  it('shows a waiting call and what it would do, and ends the run by a decision', async () => {
    const { page } = owner;
    const { id } = await run('Tea, please.');
    await open(owner, '/approvals', 'Approvals');
    const waiting = page.getByRole('article', { name: 'Buyer wants to call http_request' });
    await waiting.getByText(`Sends POST ${sink.url}/orders`).waitFor();
    await waiting.getByText('"tea"').waitFor();
    await owner.picture('approvals-pending');
    await waiting.getByRole('textbox', { name: 'Reason' }).fill('We are out of tea');
    await waiting.getByRole('button', { name: 'Approve' }).click();
    expect(await ended(id)).toMatchObject({ state: 'succeeded', reply_text: 'ordered, 200' });
    expect(sink.arrivals.filter(({ path }) => path === '/orders')).toHaveLength(1);
    await page.getByRole('table', { name: 'Decided' }).getByRole('link', { name: 'http_request' }).first().click();
    await page.getByText('Approved by Owner').waitFor();
    await page.getByText('We are out of tea').waitFor();
  });

  it('shows the person who started a run that another approver has to decide', async () => {
    const { page } = owner;
    await open(owner, `/workflows/${workflowId}`, 'Buy');
    await page.getByRole('button', { name: 'Start a run' }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('More tea.');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('Waits for approval').first().waitFor();
    await page.getByRole('link', { name: 'Open the approvals' }).click();
    await page.getByText('You requested this call.').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });

  it('starts a run by hand with a form made from what the last run worked on', async () => {
    const { page } = owner;
    const { id } = await system.api<{ id: number }>('POST', '/api/v1/workflows', {
      name: 'Shipping',
      instructions: 'reply: shipped',
    });
    await system.api('POST', `/api/v1/workflows/${id}/runs?wait=30`, {
      message: JSON.stringify({ order: 'A-17', pieces: 3, express: true, lines: [1, 2] }),
      event_type: 'order.packed',
      metadata: { shop: 'Paris' },
    });
    await open(owner, `/workflows/${id}`, 'Shipping');
    await page.getByRole('button', { name: 'Start a run' }).click();
    const message = page.getByRole('group', { name: 'Message' });
    expect(await message.getByRole('textbox', { name: 'pieces' }).inputValue()).toBe('3');
    expect(await message.getByRole('switch', { name: 'express' }).isChecked()).toBe(true);
    await message.getByRole('textbox', { name: 'order' }).fill('A-18');
    await page.getByRole('group', { name: 'Metadata' }).getByRole('textbox', { name: 'shop' }).fill('Lyon');
    expect(await violations(page)).toEqual([]);
    await owner.picture('run-by-hand');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.waitForURL(/\/runs\/run_/);
    const started = await system.api<{ receipt_id: string }>('GET', `/api/v1/runs/${page.url().split('/').pop()}`);
    const [read] = (await system.ended(started.receipt_id)).messages;
    expect(read?.message).toMatchObject({ event_type: 'order.packed', metadata: { shop: 'Lyon' } });
    expect(JSON.parse(read?.message.message ?? '')).toEqual({
      order: 'A-18',
      pieces: 3,
      express: true,
      lines: [1, 2],
    });
  });

  it('tries the filter of a trigger on stored messages as it is typed', async () => {
    const { page } = owner;
    for (const text of ['buy green tea', 'buy black tea', 'hello']) await received(text);
    await open(owner, `/workflows/${workflowId}/new-trigger`, 'New trigger');
    await page.getByRole('combobox', { name: 'App' }).click();
    await page.getByRole('option', { name: 'Webhook' }).click();
    await page.getByText('3 of the last 3 messages would start it.').waitFor();
    const filter = page.getByRole('textbox', { name: 'Filter' });
    await filter.fill('event.message.contains("green") && nope');
    await page.getByText('The filter is not valid.').waitFor();
    await filter.fill('event.message.contains("green")');
    await page.getByText('1 of the last 3 messages would start it.').waitFor();
    await page.getByText('event.message is "hello"').waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('trigger-dry-run');
    await page.getByRole('button', { name: 'Create the trigger' }).click();
    await page.getByRole('heading', { name: 'Buy', level: 1 }).waitFor();
    await page.getByText('When Webhook receives').waitFor();
  });

  it('connects a provider of models with a pasted key, and tests it', async () => {
    const model = await fakeModel();
    try {
      const { page } = owner;
      await open(owner, '/models', 'Models');
      await page.getByRole('button', { name: 'Connect a provider' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: false }).first().fill('desk');
      await dialog.getByLabel('Base URL', { exact: false }).fill(model.url);
      await dialog.getByLabel('New key', { exact: false }).fill('sk-pasted-1234567890');
      await dialog.getByLabel('Default model', { exact: false }).fill('fake');
      await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
      await page.getByRole('heading', { name: 'desk', level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByRole('row', { name: /Answer.*Works/ }).waitFor();
      expect(await page.content()).not.toContain('sk-pasted-1234567890');
      await page.getByRole('row', { name: /^fake .*No price is known/ }).waitFor();
      interface Listed {
        id: string;
        default_model: string;
        credential_ids: string[];
      }
      const { data } = await system.api<{ data: Listed[] }>('GET', '/api/v1/providers');
      expect(data).toMatchObject([{ default_model: 'fake' }]);
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('front-desk');
      await page.getByRole('textbox', { name: 'New key' }).fill('sk-second-1234567890');
      await page.getByRole('button', { name: 'Add the key' }).click();
      await page.getByRole('button', { name: /^Use .*front-desk .* earlier$/ }).click();
      await page.getByRole('combobox', { name: 'Offered models' }).fill('fake');
      await page.keyboard.press('Enter');
      await page.mouse.move(0, 0);
      await page.getByRole('tooltip').waitFor({ state: 'detached' });
      expect(await violations(page)).toEqual([]);
      await owner.picture('provider-edited');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('heading', { name: 'front-desk', level: 1 }).waitFor();
      await page.getByText('It was changed after this test.').waitFor();
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByText('It was changed after this test.').waitFor({ state: 'detached' });
      const [before] = data;
      const edited = await system.api<Listed>('GET', `/api/v1/providers/${before?.id}`);
      expect(edited).toMatchObject({ name: 'front-desk', models: ['fake'] });
      expect(edited.credential_ids).toEqual([expect.any(String), before?.credential_ids[0]]);
      const listed = { name: 'maker', kind: 'openai', credential_ids: edited.credential_ids, models: ['gpt-4o'] };
      const { id } = await system.api<{ id: string }>('POST', '/api/v1/providers', listed);
      await open(owner, `/models/${id}`, 'maker');
      const price = page.getByRole('row', { name: 'gpt-4o $2.50 $1.25 $10.00 List price since 2024-10-01' });
      await price.getByRole('link').waitFor();
      expect(await violations(page)).toEqual([]);
      for (const each of [before?.id, id]) await system.api('DELETE', `/api/v1/providers/${each}`);
    } finally {
      await model.close();
    }
  });

  it('shows leaf by leaf what an MCP server changed, and approves what was reviewed', async () => {
    const { page } = owner;
    await open(owner, '/mcp-servers', 'MCP servers');
    await page.getByRole('button', { name: 'Register a server' }).first().click();
    await page.getByRole('textbox', { name: 'URL' }).fill(mcp.url);
    await page.getByRole('textbox', { name: 'Name' }).fill('Stock');
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.getByRole('heading', { name: 'Stock', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'count_stock' }).waitFor();
    mcp.change();
    await page.getByRole('button', { name: 'Refresh tools' }).click();
    const review = page.getByRole('region', { name: 'count_stock' });
    await review
      .getByRole('row', { name: /^description Changed Counts what is left. Counts what is left, anywhere.$/ })
      .waitFor();
    await review
      .getByRole('row', { name: /warehouse/ })
      .first()
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('mcp-differences');
    await review.getByRole('button', { name: 'Approve this definition' }).click();
    await review.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'count_stock' }).click();
    await page.getByRole('tab', { name: 'Try it' }).click();
    await page.getByRole('textbox', { name: 'item' }).fill('sencha');
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const callsMade = async () => (await system.api<{ data: [] }>('GET', `/api/v1/tools/${id}/calls`)).data.length;
    const before = await callsMade();
    await page.getByRole('button', { name: 'Rehearse' }).click();
    const rehearsed = page.getByRole('status', { name: 'Rehearsed: nothing was sent' });
    await rehearsed.getByText('"item": "sencha"').waitFor();
    await rehearsed.getByText(`POST ${mcp.url}`).waitFor();
    await rehearsed.getByText('No agent has it.').waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('tool-rehearsal');
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await owner.picture('tool-rehearsal-390');
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(await callsMade()).toBe(before);
    // It was of other arguments.
    await page.getByRole('textbox', { name: 'item' }).fill('assam');
    await rehearsed.waitFor({ state: 'detached' });
    await page.getByRole('textbox', { name: 'item' }).fill('sencha');
    await page.getByRole('button', { name: 'Rehearse' }).click();
    await rehearsed.waitFor();
    // A server's tool without hints may destroy.
    await page.getByRole('button', { name: 'Call it …' }).click();
    await page.getByRole('button', { name: 'Call it for real' }).click();
    await page.getByText('7 of sencha are left').waitFor();
    await rehearsed.waitFor({ state: 'detached' });
    expect(await callsMade()).toBe(before + 1);
    await open(owner, '/operations/audit', 'Operations');
    await page.getByText('Tool tried by hand').first().waitFor();
  });

  it('warns where one session at a server is chosen for all conversations', async () => {
    const { page } = owner;
    const server = await system.api<{ id: string }>('POST', '/api/v1/mcp-servers', { url: mcp.url, name: 'Kiosk' });
    await open(owner, `/mcp-servers/${server.id}?tab=settings`, 'Kiosk');
    const warning = page.getByText('What one contact does there, others can read and change');
    expect(await warning.count()).toBe(0);
    await page.getByRole('combobox', { name: 'Sessions at the server' }).click();
    await page.getByRole('option', { name: 'One for all conversations' }).click();
    await warning.waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('mcp-sessions');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').first().waitFor();
    await page.reload();
    await warning.waitFor();
  });

  it('chooses how far results of a server and of a tool are trusted, with a recommendation', async () => {
    const { page } = owner;
    const server = await system.api<{ id: string }>('POST', '/api/v1/mcp-servers', { url: mcp.url, name: 'Depot' });
    await open(owner, `/mcp-servers/${server.id}?tab=settings`, 'Depot');
    const trust = page.getByRole('combobox', { name: 'How far its results are trusted' });
    await page.getByText('Recommended: A partner').waitFor();
    await trust.click();
    await page.getByRole('option', { name: 'A partner: known' }).click();
    await page.getByText('agents read and write by themselves').waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('mcp-trust');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').first().waitFor();
    await page.reload();
    await page.getByText('agents read and write by themselves').waitFor();
    const { data } = await system.api<{ data: { id: string; name: string }[] }>(
      'GET',
      `/api/v1/tools?server_id=${server.id}`,
    );
    await open(owner, `/tools/${data[0]?.id}`, data[0]?.name ?? '');
    await page.getByRole('combobox', { name: 'How far its results are trusted' }).click();
    await page.getByRole('option', { name: 'Untrusted' }).click();
    await until('the tool is trusted less than its server', async () => {
      const { trust: chosen } = await system.api<{ trust: string | null }>('GET', `/api/v1/tools/${data[0]?.id}`);
      return chosen === 'untrusted';
    });
    await owner.picture('tool-trust');
    await open(owner, `/agents/${agentId}?tab=powers`, 'Buyer');
    await owner.picture('agent-powers');
  });

  it('shows a compile error at its line, and tries the corrected tool', async () => {
    const { page } = owner;
    await open(owner, '/tools/new', 'New Python tool');
    const editor = page.getByRole('textbox', { name: 'Source' });
    await editor.fill(source);
    await page.getByRole('button', { name: 'Create the tool' }).click();
    await page.getByRole('alert').getByText('Line 1').waitFor();
    await page.locator('.cm-lint-marker-error').waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('python-compile-error');
    await editor.fill(source.replace('Colour', 'str'));
    await page.getByRole('button', { name: 'Create the tool' }).click();
    await page.getByRole('heading', { name: 'order_total', level: 1 }).waitFor();
    await page.getByRole('textbox', { name: 'prices' }).fill('[1.5, 2]');
    await page.getByRole('button', { name: 'Call it' }).click();
    await page.getByText('"3.50 EUR"').waitFor();
    await page.getByText('adding 2').waitFor();
    await owner.picture('python-tried');
  });

  it('asks before it calls a tool that may change something, and lists the call with its caller', async () => {
    const { page } = owner;
    const tool = await system.api<{ id: string }>('POST', '/api/v1/tools', {
      source: 'def refund(order: str) -> str:\n    """Pays an order back."""\n    return f"paid back {order}"\n',
    });
    await system.api('PATCH', `/api/v1/tools/${tool.id}`, { grade: 'destructive' });
    await open(owner, `/tools/${tool.id}`, 'refund');
    const calls = async (): Promise<{ caller: string; outcome: string }[]> =>
      (await system.api<{ data: { caller: string; outcome: string }[] }>('GET', `/api/v1/tools/${tool.id}/calls`)).data;
    await page.getByText('It may destroy something, by its grade').waitFor();
    await page.getByRole('textbox', { name: 'order' }).fill('A-17');
    await page.getByRole('button', { name: 'Call it …' }).click();
    await page.getByText('with your approval alone').waitFor();
    expect(await calls()).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await owner.picture('tool-asks');
    await page.getByRole('button', { name: 'Call it for real' }).click();
    await page.getByText('"paid back A-17"').waitFor();
    expect(await calls()).toMatchObject([{ caller: expect.stringMatching(/^user:/), outcome: 'ok' }]);
  });

  it('says for whom a tool is, and in its try panel why an agent does not give it', async () => {
    const { page } = owner;
    const tool = await system.api<{ id: string }>('POST', '/api/v1/tools', {
      source: 'def stock(item: str) -> int:\n    """Counts what is there."""\n    return 3\n',
    });
    await system.api('PATCH', `/api/v1/agents/${agentId}`, { python_tools: [tool.id] });
    await open(owner, `/agents/${agentId}?tab=tools`, 'Buyer');
    const given = page.getByRole('region', { name: 'What the model gets' });
    await given.getByText('Not for unsigned events, nor for senders who are not admitted.').waitFor();
    await given.getByRole('combobox', { name: 'In the turn of' }).click();
    await page.getByRole('option', { name: 'An unsigned event' }).click();
    await given.getByText('have the App require a signature').waitFor();
    await page.waitForURL(/sender=unsigned/);
    expect(await violations(page)).toEqual([]);
    await owner.picture('agent-tools-unsigned');

    await open(owner, `/tools/${tool.id}`, 'stock');
    const why = page.getByRole('region', { name: 'Why not this tool?' });
    await why.getByRole('combobox', { name: 'Agent' }).click();
    await page.getByRole('option', { name: 'Buyer' }).click();
    await why.getByText('Its model is given this tool in every step').waitFor();
    await why.getByRole('combobox', { name: 'In the turn of' }).click();
    await page.getByRole('option', { name: 'A sender not admitted' }).click();
    await why.getByText('admit the contact').waitFor();
    await owner.picture('tool-why-not');
    await system.api('PATCH', `/api/v1/agents/${agentId}`, { python_tools: [] });
    await page.reload();
    await why.getByRole('combobox', { name: 'Agent' }).click();
    await page.getByRole('option', { name: 'Buyer' }).click();
    await why.getByText('The agent does not have this tool.').waitFor();
  });

  it('tries a tool whose arguments have the names of what every object has', async () => {
    const { page } = owner;
    const signature = 'toString: list[int], constructor: list | None = None, hasOwnProperty: dict | None = None';
    const odd = await system.api<{ id: string }>('POST', '/api/v1/tools', {
      source: `def odd_names(${signature}) -> int:\n    """Adds up."""\n    return sum(toString)\n`,
    });
    await open(owner, `/tools/${odd.id}?tab=try`, 'odd_names');
    const numbers = page.getByRole('textbox', { name: 'toString' });
    expect(await numbers.inputValue()).toBe('');
    expect(await page.getByRole('textbox', { name: 'hasOwnProperty' }).inputValue()).toBe('');
    await numbers.fill('[3, 4]');
    expect(await page.getByRole('textbox', { name: 'constructor' }).inputValue()).toBe('');
    await page.getByRole('button', { name: 'Call it' }).click();
    await page.getByText('7', { exact: true }).first().waitFor();
    // A code that nobody knows is shown as it is.
    await page.goto(`${system.origin('portal')}/sign-in?error=constructor`);
    await page.getByText('Signing in failed (constructor). Try again.').waitFor();
  });

  it.each(schemes)('is accessible, in %s', async (colorScheme) => {
    await owner.page.emulateMedia({ colorScheme });
    const pages: [path: string, heading: string][] = [
      ['/approvals', 'Approvals'],
      ['/workflows', 'Workflows'],
      [`/workflows/${workflowId}?tab=settings`, 'Buy'],
      ['/agents', 'Agents'],
      [`/agents/${agentId}?tab=tools`, 'Buyer'],
      [`/agents/${agentId}?tab=powers`, 'Buyer'],
      [`/agents/${agentId}?tab=usage`, 'Buyer'],
      ['/skills', 'Skills'],
      ['/tools', 'Tools'],
      ['/mcp-servers', 'MCP servers'],
      ['/models', 'Models'],
      ['/knowledge', 'Knowledge'],
      ['/knowledge?tab=search', 'Knowledge'],
    ];
    for (const [path, heading] of pages) {
      await open(owner, path, heading);
      expect([path, await violations(owner.page)]).toEqual([path, []]);
      await owner.picture(`build${path.replace(agentId, 'one').replaceAll(/[/?=]/g, '-')}-${colorScheme}`);
    }
    // The source that does not compile, and the browser's message about a refusal.
    expect(owner.complaints.filter((complaint) => !complaint.includes('422'))).toEqual([]);
  });

  it('lets a viewer read, and says which scope each change needs', async () => {
    const invited = { email: 'vera@example.com', name: 'Vera', role: 'viewer' };
    const { sign_in_link: link } = await system.api<{ sign_in_link: string }>('POST', '/api/v1/members', invited);
    const viewer = await visit(browser, { viewport: { width: 360, height: 740 } });
    await signIn360(viewer, link);
    await open(viewer, '/agents', 'Agents');
    await viewer.page.getByRole('link', { name: 'Buyer' }).click();
    await viewer.page.getByText('To change it, your role needs agents:write').waitFor();
    expect(await viewer.page.getByRole('textbox', { name: 'Name' }).isDisabled()).toBe(true);
    await viewer.page.getByRole('tab', { name: 'Powers' }).click();
    await viewer.page.getByText('To give powers, your role needs approvals:manage').waitFor();
    await open(viewer, '/tools', 'Tools');
    const create = viewer.page.getByRole('button', { name: 'New Python tool' });
    expect(await create.getAttribute('aria-description')).toContain('tools:write');
    await open(viewer, '/approvals', 'Approvals');
    await viewer.page.getByText('To decide, your role needs approvals:decide').first().waitFor();
    expect(await viewer.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await violations(viewer.page)).toEqual([]);
    await viewer.close();
  });
});

/** The navigation is behind a button at this width. */
async function signIn360({ page }: Visit, link: string): Promise<void> {
  await page.goto(link);
  await page.waitForURL(/\/p\/prj_/);
  await page.getByRole('button', { name: 'Open the navigation' }).waitFor();
}
