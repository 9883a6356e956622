import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import type { Browser, Page } from 'playwright-core';
import { DiscordGatewayServer } from '../../apps/adapters/src/testing/discord-gateway-server.js';
import { fakeModel, type FakeModel } from '../../apps/engine/src/testing/fake-model.js';
import { type ServedMcp, servedMcp } from '../../apps/mcp-registry/src/testing/served-mcp.js';
import { startSmallSystem, type System } from '../system/system.js';
import { hmac, post } from '../system/webhook.js';
import { isForEverybody, violations } from './accessibility.js';
import { inBrowser, launch, signIn, visit, type Visit } from './browser.js';

const secret = `whsec_${Buffer.from('a secret that both ends know').toString('base64')}`;
const task = {
  taskId: 'task-1',
  status: 'working',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:00Z',
  ttlMs: 3_600_000,
  pollIntervalMs: 1_000,
};

/** A server with one tool, each call of which becomes a task that does not end. */
function slowServer(): Promise<ServedMcp> {
  const handler = createMcpHandler(() => {
    const mcp = new McpServer({ name: 'desk', version: '1' }, { capabilities: { tools: {} } });
    const tool = { description: 'Makes the report.', inputSchema: fromJsonSchema({ type: 'object' }) };
    mcp.registerTool('report', tool, () => ({ content: [] }));
    return mcp;
  });
  return servedMcp(async (request) => {
    if (request.method !== 'POST') return handler.fetch(request);
    const { id, method } = (await request.clone().json()) as { id: number; method: string };
    const answer = (result: object) => Response.json({ jsonrpc: '2.0', id, result });
    if (method === 'tools/call') return answer({ resultType: 'task', ...task });
    return method.startsWith('tasks/') ? answer({ resultType: 'complete', ...task }) : handler.fetch(request);
  });
}

inBrowser('what does not work, in the console', () => {
  let browser: Browser;
  let system: System;
  let discord: DiscordGatewayServer;
  let model: FakeModel;
  let server: ServedMcp;
  let owner: Visit;
  let page: Page;
  let project: string;

  beforeAll(async () => {
    [browser, discord, model, server] = await Promise.all([
      launch(),
      DiscordGatewayServer.start(),
      fakeModel(),
      slowServer(),
    ]);
    system = await startSmallSystem({
      GATEHOUSE_DISCORD_API_URL: discord.url,
      CONNECTION_ATTENTION_MS: '0',
      CONNECTION_WAIT_S: '1',
      MODEL_BASE_URL: model.url,
      MODEL_NAME: 'fake',
      MODEL_STREAMING: '0',
    });
    owner = await visit(browser, {});
    page = owner.page;
    await signIn(owner, await system.ownerLink());
    project = new URL(page.url()).pathname.split('/').slice(0, 3).join('/');
  });
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
    await Promise.all([discord?.close(), model?.close(), server?.stop()]);
  });

  const api = <T>(method: string, path: string, body?: object): Promise<T> =>
    system.api<T>(method, `/api/v1/${path}`, body);
  const open = (path: string): Promise<unknown> => page.goto(`${system.origin('portal')}${project}${path}`);

  it('is on the page of an App of which one connection fails, on its card and first on Home, with since when and what to do', async () => {
    discord.shards = 2;
    discord.refusing.set(1, 4_004);
    const fields = { token: discord.token };
    const { id: bot } = await api<{ id: string }>('POST', 'credentials', { name: 'Bot', type: 'api_key', fields });
    const body = { credentials: { DISCORD_BOT_TOKEN: bot } };
    const { id } = await api<{ id: string }>('POST', 'listings/discord/install', body);
    await post(system.webhookUrl, { text: 'Hello' });
    await open(`/integrations/${id}`);
    await page.getByRole('button', { name: 'Fetch messages' }).click();
    await page.getByText('Connected in part').waitFor();
    await page.getByText(/1 of 2 connections fail \(shard 1\): Discord does not accept the bot token/).waitFor();
    await page.getByText(/A part is silent since/).waitFor();
    await page.getByText('Replace the secret in the credential that is linked here, then press Verify.').waitFor();
    await page.getByText('Degraded', { exact: true }).waitFor();
    // It is not said to wait for requests at an address that nobody calls.
    await page.getByText('The first message arrives').waitFor();
    expect(await page.getByRole('textbox', { name: 'Webhook URL' }).count()).toBe(0);
    await isForEverybody(owner, 'app-degraded');
    await open('/integrations');
    await page
      .getByRole('article', { name: /Discord/ })
      .getByText('It hears only a part of its messages')
      .waitFor();
    await open('');
    await page.getByText(/hears only a part of its messages \(auth_failed\)/).waitFor();
    const titles = () => page.getByRole('heading', { level: 2 }).allInnerTexts();
    expect((await titles())[0]).toBe('Needs attention');
    expect(await titles()).toContain('The first five minutes');
    // The gap's times are the reader's.
    await page.getByText(/are missing \(shards_changed\)/).waitFor();
    expect(await page.getByText(/\d{4}-\d\d-\d\dT/).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
  });

  it('is on the page of an MCP server: calls that wait and for whom, and what to do when it is away', async () => {
    const { id, skill_id } = await api<{ id: string; skill_id: string }>('POST', 'mcp-servers', {
      url: server.url,
      name: 'Desk',
      trust: 'own',
    });
    const agent = { name: 'Clerk', instructions: 'Help.', may_do: 'destructive', skills: [skill_id] };
    const { id: agent_id } = await api<{ id: string }>('POST', 'agents', agent);
    const url = `${system.origin('adapters')}/generic`;
    const { id: adapter_id } = await api<{ id: string }>('POST', 'adapters', { url });
    const credential_id = await system.credential({ signing_secret: secret });
    const app = await api<{ id: string; webhook_url: string }>('POST', 'apps', {
      name: 'Door',
      kind: 'adapter',
      adapter_id,
      credential_id,
    });
    await api('PUT', `channels/${app.id}`, { agent_id, unknown_senders: 'hold' });
    model.answering(({ tools = [] }) => {
      const name = tools.find((tool) => tool.function.name.endsWith('report'))?.function.name;
      return name === undefined ? 'No tool.' : [{ name, arguments: '{}' }];
    });
    const message = JSON.stringify({ sender: 'grace', message: 'The report, please.' });
    const { id: event } = await post(app.webhook_url, message, { 'x-signature-256': hmac(secret, message) });
    await system.ended(event);
    const { data } = await api<{ data: { id: string; name: string }[] }>('GET', 'contacts?status=unknown');
    await api('POST', `contacts/${data.find(({ name }) => name === 'grace')?.id}/admit`, {});
    await open(`/mcp-servers/${id}`);
    const waiting = page.getByRole('region', { name: 'Calls that wait' });
    await waiting.getByText('for a task of the server').waitFor();
    await waiting.getByText('grace').waitFor();
    await isForEverybody(owner, 'mcp-waits');
    await server.stop();
    await page.getByRole('button', { name: 'Refresh tools' }).click();
    await page.getByText(/See whether it runs; it is asked again by itself\. Last checked/).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('is said on a page whose service does not answer, and nothing else', async () => {
    const person = await visit(browser, {});
    await signIn(person, await system.ownerLink());
    const problem = { title: 'No', status: 503, code: 'service_unavailable', detail: 'The service does not answer.' };
    const answer = { status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem) };
    await person.page.route(/\/api\/v1\/(?!session$|projects)/, (route) => route.fulfill(answer));
    for (const path of ['', '/map', '/usage', '/mcp-servers', '/integrations']) {
      await person.page.goto(`${system.origin('portal')}${project}${path}`);
      await person.page.getByText('The service does not answer.').first().waitFor();
      expect(await person.page.getByText(/Nothing to draw yet|Begin with a template/).count()).toBe(0);
    }
    await person.close();
  });
});
