import { type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { newId, type TurnRunPayload } from '#libs/contracts';
import { until } from '#libs/testing';
import { a2aClient, a2aMessage } from '../../testing/a2a-client.js';
import { type EngineWorld, engineWorld } from '../../testing/engine-world.js';
import { type FakeStream, fakeStream } from '../../testing/fake-model.js';
import { routesRequests } from '../../testing/routed-requests.js';
import { agentOf } from '../../testing/turns-of.js';

let world: EngineWorld;
let agent: string;
let client: Client;
let turns: TurnRunPayload[];

beforeAll(async () => {
  world = await engineWorld({ scopes: ['agents:write', 'agents:ask'], subject: 'key:partner' });
  await world.start({ ROUTER_URL: world.services.url, TASK_LOOK_MS: 20, TASK_WAIT_MS: 20_000 });
});
beforeEach(async () => {
  world.model.script();
  turns = routesRequests(world);
  agent = await agentOf(world, { name: 'Order desk' });
  const body = { name: `desk_${agent.slice(-8)}`, description: 'Knows every order.' };
  expect(await world.call('PUT', `agents/${agent}/publication`, body)).toMatchObject({ status: 200 });
  client = await a2aClient(world.url, agent, () => world.token(), 'HTTP+JSON');
});
afterAll(() => world.close());

const taskOf = (result: unknown): Task => {
  expect(result).toMatchObject({ status: expect.anything(), contextId: expect.anything() });
  return result as Task;
};
const answerOf = ({ artifacts }: Task): unknown => artifacts[0]?.parts[0]?.content?.value;

interface Refusal {
  error: { code: number; status: string; message: string; details: { reason: string; metadata?: object }[] };
}
async function request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(`${world.url}/a2a/${agent}/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${await world.token()}`,
      'a2a-version': '1.0',
      ...(body === undefined ? {} : { 'content-type': 'application/a2a+json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Refusal, type: answer.headers.get('content-type') };
}
const textMessage = (text: string) => ({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } });

describe('a client of the HTTP binding', () => {
  it('is answered, and finds its task by id and in the list, which is the same as over JSON-RPC', async () => {
    world.model.script('It ships **today**.');
    const task = taskOf(await client.sendMessage(a2aMessage('Where is order 7?', 'm1')));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(answerOf(task)).toBe('It ships **today**.');
    expect(await client.getTask({ tenant: '', id: task.id })).toEqual(task);
    expect(await client.getTask({ tenant: '', id: task.id, historyLength: 0 })).toMatchObject({ history: [] });
    const asked = {
      tenant: '',
      contextId: task.contextId,
      status: TaskState.TASK_STATE_COMPLETED,
      pageSize: 1,
      pageToken: '',
      statusTimestampAfter: undefined,
      includeArtifacts: true,
    };
    expect(await client.listTasks(asked)).toMatchObject({ totalSize: 1, tasks: [{ id: task.id }] });
    expect((await client.listTasks({ ...asked, status: TaskState.TASK_STATE_FAILED })).tasks).toEqual([]);
    const other = await a2aClient(world.url, agent, () => world.token());
    expect(taskOf(await other.sendMessage(a2aMessage('Where is order 7?', 'm1')))).toEqual(task);
    expect(turns).toHaveLength(1);
  });

  it('sees the answer while it is written, and follows a stream that broke off again', async () => {
    const begun: FakeStream[] = [];
    world.model.script((response) => void begun.push(fakeStream(response)));
    const shown: StreamResponse[] = [];
    const read = (async () => {
      for await (const update of client.sendMessageStream(a2aMessage('Tell me.', 'm1'))) shown.push(update);
    })();
    await until('the model is asked', () => begun.length === 1);
    await until('the task is shown', () => shown.length > 0);
    const first = shown[0]?.payload;
    const id = first?.$case === 'task' ? first.value.id : '';
    const seconds: StreamResponse[] = [];
    const second = (async () => {
      for await (const update of client.resubscribeTask({ tenant: '', id })) seconds.push(update);
    })();
    await until('it is followed again', () => seconds.length > 0);
    begun[0]?.write('The sea is blue.');
    begun[0]?.end();
    await Promise.all([read, second]);
    for (const updates of [shown, seconds]) {
      expect(JSON.stringify(updates)).toContain('The sea is blue.');
      expect(updates.at(-1)?.payload).toMatchObject({
        $case: 'statusUpdate',
        value: { status: { state: TaskState.TASK_STATE_COMPLETED } },
      });
    }
    await expect(client.resubscribeTask({ tenant: '', id }).next()).rejects.toThrow(/has ended/);
  });

  it('sends files of text as part of its message, and is refused others and those elsewhere', async () => {
    world.model.script('Two lines.');
    const raw = (bytes: Buffer, filename: string, mediaType: string) => ({
      raw: bytes.toString('base64'),
      filename,
      mediaType,
    });
    const send = (messageId: string, ...parts: object[]) =>
      request('POST', 'message:send', {
        message: { messageId, role: 'ROLE_USER', parts: [{ text: 'Count.' }, ...parts] },
      });
    const csv = raw(Buffer.from('day;sum\n1;ä'), 'a/day 1.csv', 'text/csv; charset=utf-8');
    expect((await send('m1', csv)).status).toBe(200);
    const asked = JSON.stringify(world.model.requests.at(-1)?.messages);
    expect(asked).toContain('day;sum\\n1;ä');
    expect(asked).toMatch(/File [^/]*day 1\.csv \(text\/csv\)/);
    const refused = { status: 400, body: { error: { message: expect.stringMatching(/files/) } } };
    expect(await send('m2', raw(Buffer.from([1, 2]), 'a.png', 'image/png'))).toMatchObject(refused);
    expect(await send('m3', { url: 'https://x.example/a.csv', mediaType: 'text/csv' })).toMatchObject(refused);
    expect(await send('m4', raw(Buffer.from([0xff, 0xfe]), 'a.txt', 'text/plain'))).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(/UTF-8/) } },
    });
    expect(turns).toHaveLength(1);
  });

  it('gets the files that the agent sends with its answer, once it is there, and in no list', async () => {
    agent = await agentOf(world, { name: 'Reporter', tools: ['send_file'] });
    const body = { name: `desk_${agent.slice(-8)}`, description: 'Reports.' };
    expect(await world.call('PUT', `agents/${agent}/publication`, body)).toMatchObject({ status: 200 });
    client = await a2aClient(world.url, agent, () => world.token(), 'HTTP+JSON');
    turns = routesRequests(world, undefined, 'known');
    const report = { name: 'send_file', arguments: JSON.stringify({ name: 'report.csv', text: 'day;sum' }) };
    world.model.script([report], 'Here it is.');
    const shown: StreamResponse[] = [];
    for await (const update of client.sendMessageStream(a2aMessage('Report.', 'm1'))) shown.push(update);
    const files = shown.flatMap(({ payload }) =>
      payload?.$case === 'artifactUpdate' && payload.value.artifact?.artifactId === 'file-1' ? [payload.value] : [],
    );
    expect(files).toHaveLength(1);
    const first = shown[0]?.payload;
    const task = await client.getTask({ tenant: '', id: first?.$case === 'task' ? first.value.id : '' });
    const [, file] = task.artifacts;
    expect(file).toMatchObject({ artifactId: 'file-1', name: 'report.csv' });
    expect(file?.parts).toMatchObject([{ filename: 'report.csv', mediaType: 'text/csv; charset=utf-8' }]);
    const content = file?.parts[0]?.content;
    expect(content?.$case === 'raw' ? Buffer.from(content.value).toString() : null).toBe('day;sum');
    expect(JSON.stringify(files[0]?.artifact?.parts)).toBe(JSON.stringify(file?.parts));
    const asked = { tenant: '', contextId: '', status: 0, pageToken: '', statusTimestampAfter: undefined };
    const listed = await client.listTasks({ ...asked, includeArtifacts: true });
    expect(listed.tasks.find(({ id }) => id === task.id)?.artifacts.map(({ name }) => name)).toEqual(['answer']);
  });

  it('cancels a task once; asked again, it says that it has ended', async () => {
    const begun: FakeStream[] = [];
    world.model.script((response) => void begun.push(fakeStream(response)));
    const task = taskOf(await client.sendMessage(a2aMessage('Think long.', 'm1', {}, true)));
    await until('the model is asked', () => begun.length === 1);
    const cancelled = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined });
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    begun[0]?.end();
    expect(await request('POST', `tasks/${task.id}:cancel`)).toMatchObject({
      status: 400,
      body: {
        error: { message: expect.stringMatching(/already ended/), details: [{ reason: 'TASK_NOT_CANCELABLE' }] },
      },
    });
  });

  it('adds, lists and removes addresses for push notifications', async () => {
    const task = taskOf(await client.sendMessage(a2aMessage('Hello', 'm1')));
    const config = {
      tenant: '',
      taskId: task.id,
      id: 'mine',
      url: 'https://partner.example/a2a',
      token: 'secret-token',
      authentication: undefined,
    };
    const made = await client.createTaskPushNotificationConfig(config);
    expect(made).toMatchObject({ taskId: task.id, id: 'mine', url: 'https://partner.example/a2a' });
    expect(JSON.stringify(made)).not.toContain('secret-token');
    const asked = { tenant: '', taskId: task.id, id: 'mine' };
    expect(await client.getTaskPushNotificationConfig(asked)).toEqual(made);
    await client.deleteTaskPushNotificationConfig(asked);
    const listed = await client.listTaskPushNotificationConfig({
      tenant: '',
      taskId: task.id,
      pageSize: 0,
      pageToken: '',
    });
    expect(listed.configs).toEqual([]);
  });
});

describe('a request of the HTTP binding that cannot be taken', () => {
  it.each([
    [
      'of another version',
      () => request('POST', 'message:send', textMessage('Hi'), { 'a2a-version': '0.3' }),
      400,
      /0\.3/,
    ],
    ['of an unknown call', () => request('POST', 'message:sing', textMessage('Hi')), 404, /no call message:sing/],
    ['that is not JSON', () => request('POST', 'message:send', '{'), 400, /JSON/],
    ['without a message', () => request('POST', 'message:send', {}), 400, /message is missing/],
    ['without text', () => request('POST', 'message:send', textMessage(' ')), 400, /no text/],
    [
      'that is too long',
      () => request('POST', 'message:send', textMessage('x'.repeat(100_001))),
      400,
      /TASK_MESSAGE_CHARS/,
    ],
    ['with a page of no number', () => request('GET', 'tasks?pageSize=many'), 400, /pageSize/],
    ['for a task that is not there', () => request('GET', 'tasks/tsk_none'), 404, /no task/],
  ])('%s gets a status and an error that says why', async (_what, sent, status, message) => {
    const answer = await sent();
    expect({ ...answer, text: JSON.stringify(answer.body) }).toMatchObject({
      status,
      text: expect.stringMatching(message),
    });
    expect(turns).toEqual([]);
  });

  it('may name its version in the query, by either binding', async () => {
    world.model.script('Today.');
    const headers = { 'a2a-version': '' };
    const asked = await request('POST', 'message:send?A2A-Version=1.0', textMessage('Hi'), headers);
    expect(asked).toMatchObject({ status: 200, body: { task: { status: { state: 'TASK_STATE_COMPLETED' } } } });
    expect(await request('GET', 'tasks?A2A-Version=0.3', undefined, headers)).toMatchObject({ status: 400 });
    expect((await request('GET', 'tasks?A2A-Version=1.0', undefined, headers)).status).toBe(200);
  });

  it.each(['application/a2a+json', 'application/json'])(
    'as %s that is not JSON is refused as its binding says',
    async (type) => {
      const headers = { 'content-type': type };
      expect(await request('POST', 'message:send', '{', headers)).toMatchObject({
        status: 400,
        type: expect.stringContaining('application/a2a+json'),
        body: { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'The body is not JSON.' } },
      });
      const rpc = await fetch(`${world.url}/a2a/${agent}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${await world.token()}`, 'a2a-version': '1.0', ...headers },
        body: '{',
      });
      const error = { code: -32_700, message: 'The body is not JSON.' };
      expect({ status: rpc.status, body: await rpc.json() }).toEqual({
        status: 200,
        body: { jsonrpc: '2.0', id: null, error },
      });
    },
  );

  it('is not found in another project, and refused without agents:ask', async () => {
    const foreign = { organizationId: newId('org'), projectId: newId('prj') };
    const ask = async (as: object) =>
      request('POST', 'message:send', textMessage('Hi'), { authorization: `Bearer ${await world.token(as)}` });
    expect(await ask(foreign)).toMatchObject({ status: 404, body: { error: { status: 'NOT_FOUND' } } });
    expect((await ask({ scopes: ['agents:read'] })).status).toBe(403);
    expect(turns).toEqual([]);
  });
});
