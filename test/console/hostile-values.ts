import { until } from '#libs/testing';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import type { InstalledApp } from '../system/api.js';
import { openPlainAdapter, type PlainAdapter } from '../system/plain-adapter.js';
import type { System } from '../system/system.js';
import { post } from '../system/webhook.js';
import { openMcpServer, type OpenMcpServer } from './changing-mcp-server.js';

/** A word without a place to break it. */
export const word = (chars: number): string => 'Wordless'.repeat(Math.ceil(chars / 8)).slice(0, chars);
/** Its letters run from right to left, and would take the digits beside it along. */
export const rightToLeft = 'שלום עולם 2026';
/** Turns around what follows it. */
const turning = '\u202ereversed\u2066';

/** Covers the lines above and below it: a letter with 400 marks upon it, some behind a joiner. */
const stacked = `H${'\u0302\u0316\u200d'.repeat(200)}e `;
/** Short, and as high as a house. */
const lines = 'line\n'.repeat(3_000);

/** An MCP server whose tools say what they like of themselves. */
function hostileTools(): McpServer {
  const mcp = new McpServer({ name: `${turning}${stacked}${word(5_000)}`, version: word(500) });
  for (const [name, description] of [
    ['turns', `${turning}${codeLinks}`],
    ['stacks', stacked.repeat(8)],
    ['long', word(3_500)],
    ['lines', lines.slice(0, 3_500)],
    [word(64), '<script>alert(1)</script>'],
  ] as const) {
    const properties = {
      toString: { type: 'string' as const, description },
      [`${turning}${word(200)}`]: { type: 'string' as const, enum: [description, stacked] },
    };
    const inputSchema = fromJsonSchema<object>({ type: 'object', properties, required: ['toString'] });
    mcp.registerTool(name, { title: description, description, inputSchema }, () => ({ content: [] }));
  }
  return mcp;
}

/** Links that would run code, in Markdown and HTML. */
const codeLinks =
  '[x](javascript:alert(1)) <a href="java&#9;script:alert(1)">x</a> <a href=" java\tscript:alert(1)">x</a> ' +
  '<javascript:alert(1)> <data:text/html,x> ![x](vbscript:x) <iframe src="javascript:alert(1)"></iframe> ';

export interface Hostile {
  /** A page for each thing that was made. */
  paths: string[];
  /** Events that differ only in the length of their texts. */
  events: { short: string; long: string };
  session: string;
  adapter: PlainAdapter;
  mcp: OpenMcpServer;
}

/** Everything that has a name gets one of 100 letters, and senders write words of 100,000. */
export async function makeHostile(system: System, project: string): Promise<Hostile> {
  const made = async (path: string, body: object): Promise<{ id: string }> =>
    system.api<{ id: string }>('POST', `/api/v1/${path}`, body);
  const name = word(100);
  const mcp = await openMcpServer(hostileTools);
  const { id: organization } = await system.api<{ id: string }>('GET', '/api/v1/organizations/current');
  await system.api('PATCH', `/api/v1/organizations/${organization}`, { name });
  await system.api('PATCH', `/api/v1/projects/${project}`, { name });
  const adapter = await openPlainAdapter('hostile');
  const registered = await made('adapters', { url: adapter.url });
  await system.api('PATCH', `/api/v1/adapters/${registered.id}`, { name });
  const app = await system.api<InstalledApp>('POST', '/api/v1/listings/hostile/install', { name });
  await system.api('PUT', `/api/v1/channels/${app.id}`, { unknown_senders: 'open' });
  const [agent, skill, credential, document, tool] = [
    await made('agents', { name, instructions: word(1_000) }),
    await made('skills', { name, knowledge: turning + word(20_000), description: word(1_000) }),
    await made('credentials', { name, type: 'text', fields: { [word(60).toLowerCase()]: 'x' } }),
    await made('knowledge', { title: word(300), text: codeLinks + word(100_000), uri: word(2_000) }),
    await made('tools', {
      source: `def ${word(50)}(toString: list[str], constructor: str) -> str:\n    """${word(900)}."""\n    return "x"\n`,
    }),
  ];
  const server = await made('mcp-servers', { url: mcp.url, name });
  const { data: tools } = await system.api<{ data: { id: string }[] }>('GET', `/api/v1/tools?server_id=${server.id}`);
  const { id: workflow } = await system.api<{ id: number }>('POST', '/api/v1/workflows', {
    name,
    instructions: word(2_000),
    agent_id: agent.id,
    steps: [
      { name: `a${'0'.repeat(39)}`, kind: 'agent', instructions: turning + stacked + word(5_000) },
      {
        name: 'b',
        kind: 'tool',
        tool: word(200),
        arguments: { [word(500)]: turning + word(5_000), toString: stacked },
      },
      { name: 'c', kind: 'approval', text: `${turning}${word(1_500)}` },
    ],
  });
  const trigger = await made('triggers', { app_id: app.id, workflow_id: workflow, event_types: [word(100)] });
  await made('agents', { name: rightToLeft, instructions: 'reply: ok' });
  await made('api-keys', { name, scopes: ['events:read'] });
  await made('members', { name, email: `${word(60)}@example.com`, role: 'viewer' });

  const send = async (chars: number): Promise<string> => {
    adapter.answers['verify-webhook'] = () => ({ ok: true });
    adapter.answers['parse-inbound'] = () => ({
      sender: (stacked.slice(0, 100) + codeLinks + word(chars)).slice(0, 400),
      is_bot: false,
      event_type: word(chars),
      message: `${turning}${stacked}${codeLinks}${word(chars)}`,
      thread_id: word(400),
      metadata: {
        note: word(chars),
        stacked,
        links: codeLinks,
        url: 'java\tscript:alert(1)',
        ...JSON.parse('{"__proto__": 1, "toString": "x"}'),
        many: Array.from({ length: 5_000 }, (_, index) => index),
        [word(500)]: { deep: { deeper: [[[word(chars)]]] } },
      },
    });
    const { id } = await post(app.webhook_url, { text: word(chars) }, { 'x-long': word(4_000) });
    await system.ended(id);
    return id;
  };
  const events = { short: await send(8_000), long: await send(100_000) };
  const { id: ofLines } = await post(system.webhookUrl, {
    text: `${lines}${word(80_000)}`,
    metadata: { event_type: word(100_000) },
  });
  const run = await made(`workflows/${workflow}/runs`, { message: (codeLinks + word(100_000)).slice(0, 100_000) });
  const session = await until('there is a session', async () => {
    // Of the two messages: the one of lines may have one by now.
    const { data } = await system.api<{ data: { id: string }[] }>('GET', `/api/v1/sessions?app_id=${app.id}`);
    return data[0]?.id;
  });
  const { data: contacts } = await system.api<{ data: { id: string }[] }>('GET', '/api/v1/contacts?limit=1');
  const lists = 'integrations developer-portal credentials sources approvals workflows agents tools mcp-servers skills';
  const others = 'knowledge conversations contacts usage operations settings simulator events events?view=refused';
  return {
    adapter,
    mcp,
    events,
    session,
    paths: [
      '',
      ...`${lists} ${others}`.split(' '),
      ...['dead-letters', 'deliveries', 'refusals', 'audit', 'keys'].map((section) => `operations/${section}`),
      ...['members', 'roles', 'keys', 'organization', 'sessions'].map((part) => `settings/${part}`),
      `events/${events.long}`,
      `events/${ofLines}`,
      `conversations/${session}`,
      ...contacts.map(({ id }) => `contacts/${id}`),
      ...['', '?tab=channel', '?tab=verify', '?tab=samples', '?tab=requests', '?tab=settings'].map(
        (tab) => `integrations/${app.id}${tab}`,
      ),
      ...['', '?tab=versions', '?tab=health', '?tab=conformance', '?tab=settings'].map(
        (tab) => `developer-portal/${registered.id}${tab}`,
      ),
      `credentials/${credential.id}`,
      `knowledge/${document.id}`,
      ...['', '?tab=tools', '?tab=powers', '?tab=usage'].map((tab) => `agents/${agent.id}${tab}`),
      `skills/${skill.id}`,
      ...[tool, ...tools].flatMap(({ id }) =>
        ['', '?tab=try', '?tab=versions', '?tab=calls'].map((tab) => `tools/${id}${tab}`),
      ),
      ...['', '?tab=settings'].map((tab) => `mcp-servers/${server.id}${tab}`),
      ...['', '?tab=settings', '?tab=steps', '?tab=triggers', '?tab=runs'].map((tab) => `workflows/${workflow}${tab}`),
      `workflows/${workflow}/triggers/${trigger.id}`,
      `runs/${run.id}`,
    ],
  };
}
