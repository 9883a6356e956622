import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Principal } from '#libs/service-kit';
import { until } from '#libs/testing';
import { type EngineWorld, engineWorld } from '../../testing/engine-world.js';
import { type FakeStream, fakeStream } from '../../testing/fake-model.js';
import { routesRequests } from '../../testing/routed-requests.js';
import { agentOf } from '../../testing/turns-of.js';

let world: EngineWorld;
const clients: Client[] = [];
const settings = () => ({ ROUTER_URL: world.services.url, TASK_LOOK_MS: 20, TASK_WAIT_MS: 20_000 });

beforeAll(async () => {
  world = await engineWorld({ scopes: ['agents:write', 'agents:ask'], subject: 'key:assistant' });
  await world.start(settings());
  const desk = await agentOf(world, { name: 'Order desk', may_do: 'read' });
  const body = { name: 'order_desk', description: 'Knows every order.' };
  expect((await world.call('PUT', `agents/${desk}/publication`, body)).status).toBe(200);
  await agentOf(world, { name: 'Private' });
});
beforeEach(() => {
  world.model.script();
  routesRequests(world);
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await world.close();
});

type Revision = 'auto' | 'legacy';

async function connected(mode: Revision = 'auto', as: Partial<Principal> = {}, url = world.url): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${await world.token(as)}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
  clients.push(client);
  return client;
}
const textOf = (result: Awaited<ReturnType<Client['callTool']>>): unknown => {
  const [first] = result.content as { text?: string }[];
  return first?.text;
};
const ask = (client: Client, args: Record<string, unknown>) =>
  client.callTool({ name: 'ask_order_desk', arguments: args });

describe.each<Revision>(['auto', 'legacy'])('a client of the MCP server, negotiating %s', (mode) => {
  it('has a tool for each published agent, with its grade, and no other', async () => {
    const client = await connected(mode);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['ask_order_desk', 'get_answer']);
    expect(tools[0]).toMatchObject({ description: 'Knows every order.', annotations: { readOnlyHint: true } });
  });

  it('is answered by the turn of the agent, and goes on in the same conversation', async () => {
    const client = await connected(mode);
    world.model.script('It ships today.', 'Order 7.');
    const first = await ask(client, { text: 'Where is order 7?' });
    expect(textOf(first)).toBe('It ships today.');
    const { conversation } = first.structuredContent as { conversation: string };
    expect(textOf(await ask(client, { text: 'Which order was that?', conversation }))).toBe('Order 7.');
    expect(JSON.stringify(world.model.requests.at(-1)?.messages)).toContain('It ships today.');
  });
});

it('a question that takes long names its task, asked again it is the same, and its answer is got later', async () => {
  const impatient = await world.start({ ...settings(), TASK_WAIT_MS: 200 });
  const client = await connected('auto', {}, await impatient.getUrl());
  const begun: FakeStream[] = [];
  world.model.script((response) => void begun.push(fakeStream(response)));
  const asked = { text: 'Think long.', request_id: 'q1' };
  const first = await ask(client, asked);
  expect(textOf(first)).toMatch(/still at it.*get_answer/);
  const repeated = await ask(client, asked);
  expect(repeated.structuredContent).toEqual(first.structuredContent);
  await until('the model is asked', () => begun.length > 0);
  begun[0]?.write('Done thinking.');
  begun[0]?.end();
  const { task } = first.structuredContent as { task: string };
  const got = () => client.callTool({ name: 'get_answer', arguments: { task } });
  await until('it is answered', async () => textOf(await got()) === 'Done thinking.');
  expect(begun).toHaveLength(1);
  const other = await connected('auto', { subject: 'key:other' });
  expect(await other.callTool({ name: 'get_answer', arguments: { task } })).toMatchObject({ isError: true });
});

it('where as many tasks are followed as may be, a question names its task at once, and is asked once', async () => {
  const full = await world.start({ ...settings(), TASK_FOLLOWERS: 0 });
  const client = await connected('auto', {}, await full.getUrl());
  const begun: FakeStream[] = [];
  world.model.script((response) => void begun.push(fakeStream(response)));
  const asked = await ask(client, { text: 'Is there room?' });
  expect(asked.isError).toBeFalsy();
  expect(textOf(asked)).toMatch(/still at it.*get_answer/);
  await until('the model is asked', () => begun.length > 0);
  begun[0]?.write('There is.');
  begun[0]?.end();
  const { task } = asked.structuredContent as { task: string };
  const got = () => client.callTool({ name: 'get_answer', arguments: { task } });
  await until('it is answered', async () => textOf(await got()) === 'There is.');
});

it('an answer has the files that the agent sends with it', async () => {
  const reporter = await agentOf(world, { name: 'Reporter', tools: ['send_file'] });
  const body = { name: 'reporter', description: 'Reports.' };
  expect((await world.call('PUT', `agents/${reporter}/publication`, body)).status).toBe(200);
  routesRequests(world, undefined, 'known');
  const report = { name: 'send_file', arguments: JSON.stringify({ name: 'day 1.csv', text: 'day;sum' }) };
  world.model.script([report], 'Here it is.');
  const client = await connected();
  const { content } = await client.callTool({ name: 'ask_reporter', arguments: { text: 'Report.' } });
  expect(content).toMatchObject([
    { type: 'text', text: 'Here it is.' },
    {
      type: 'resource',
      resource: {
        uri: expect.stringMatching(/^gatehouse:\/\/tasks\/tsk_\w+\/files\/1\/day%201\.csv$/),
        mimeType: 'text/csv; charset=utf-8',
        blob: btoa('day;sum'),
      },
    },
  ]);
  expect((await world.call('DELETE', `agents/${reporter}/publication`)).status).toBe(204);
});

it('a client that listens for changes of the list is informed that there are none, and its stream ends', async () => {
  const client = await connected();
  expect(client.getServerCapabilities()).toMatchObject({ tools: { listChanged: false } });
  const listening = await client.listen({ toolsListChanged: true });
  expect(listening.honoredFilter).toEqual({});
  expect(await listening.closed).toBe('graceful');
});

it('a key without agents:ask is refused, and one of another project finds no agents', async () => {
  await expect(connected('auto', { scopes: ['agents:read'] })).rejects.toThrow();
  const elsewhere = await connected('auto', { organizationId: 'org_x', projectId: 'prj_x' });
  expect((await elsewhere.listTools()).tools.map(({ name }) => name)).toEqual(['get_answer']);
});

it('a message that is refused is an error of the tool that says why', async () => {
  routesRequests(world, 'daily_budget');
  const refused = await ask(await connected(), { text: 'Once more.' });
  expect(refused).toMatchObject({ isError: true });
  expect(textOf(refused)).toMatch(/try again tomorrow/);
});
