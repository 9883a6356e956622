import type { Task } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { until } from '#libs/testing';
import { a2aClient, a2aMessage } from '../../apps/engine/src/testing/a2a-client.js';
import { fakeModel, type FakeModel, type FakeStream, fakeStream } from '../../apps/engine/src/testing/fake-model.js';
import { startSystem, type System } from './system.js';

let system: System;
let model: FakeModel;
let client: Client;
let key: string;

beforeAll(async () => {
  model = await fakeModel();
  system = await startSystem({
    MODEL_BASE_URL: model.url,
    MODEL_NAME: 'fake',
    TURN_LEASE_MS: '1000',
    SWEEP_EVERY_MS: '200',
    SWEEP_AFTER_MS: '1000',
  });
  const { data } = await system.api<{ data: { id: string }[] }>('GET', '/api/v1/agents');
  const agent = data[0]!.id;
  const published = { name: 'chief', description: 'Knows everything.' };
  await system.api('PUT', `/api/v1/agents/${agent}/publication`, published);
  ({ key } = await system.api<{ key: string }>('POST', '/api/v1/api-keys', {
    name: 'partner',
    scopes: ['agents:ask'],
  }));
  client = await a2aClient(system.origin('portal'), agent, async () => key);
});
afterAll(async () => {
  await system.stop();
  await model.close();
});

const answerOf = ({ artifacts }: Task): unknown => artifacts[0]?.parts[0]?.content?.value;
const taskOf = (id: string): Promise<Task> => client.getTask({ tenant: '', id });
const eventOf = ({ metadata }: Task): string => String(metadata?.['gatehouse_event']);
async function endsOnce(task: Task): Promise<void> {
  const { timeline } = await system.reached(eventOf(task), 'turn', 'succeeded');
  expect(timeline.filter(({ stage, outcome }) => stage === 'turn' && outcome === 'succeeded')).toHaveLength(1);
}

it('a task whose engine is killed ends once, and its caller finds the answer', async () => {
  const begun: FakeStream[] = [];
  model.script((response) => void begun.push(fakeStream(response)), 'After all.');
  const { id } = (await client.sendMessage(a2aMessage('Survive.', 'm1', {}, true))) as Task;
  await until('the model is asked', () => begun.length === 1);
  await system.kill('engine');
  await system.restart('engine');
  await until('it is answered', async () => answerOf(await taskOf(id)) === 'After all.');
  await endsOnce(await taskOf(id));
  const repeated = (await client.sendMessage(a2aMessage('Survive.', 'm1'))) as Task;
  expect(repeated.id).toBe(id);
});

it('a message that its caller repeats after the router was killed is one task', async () => {
  model.script('Once.');
  await system.kill('router');
  await expect(client.sendMessage(a2aMessage('Only once.', 'm2'))).rejects.toThrow();
  await system.restart('router');
  const task = (await client.sendMessage(a2aMessage('Only once.', 'm2'))) as Task;
  expect(answerOf(task)).toBe('Once.');
  expect(((await client.sendMessage(a2aMessage('Only once.', 'm2'))) as Task).id).toBe(task.id);
  await endsOnce(task);
});

it('an MCP client asks by the same portal, and its caller is a contact that nobody has admitted', async () => {
  model.script('Here.');
  const assistant = new McpClient({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  const url = new URL('/mcp', system.origin('portal'));
  await assistant.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  const { content } = await assistant.callTool({ name: 'ask_chief', arguments: { text: 'Are you there?' } });
  expect(content).toEqual([{ type: 'text', text: 'Here.' }]);
  await assistant.close();
  const { data } = await system.api<{ data: { name: string; status: string }[] }>('GET', '/api/v1/contacts');
  expect(data.filter(({ name }) => name.startsWith('key:'))).toMatchObject([{ status: 'unknown' }]);
});
