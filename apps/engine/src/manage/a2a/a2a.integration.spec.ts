import { type AgentCard, type StreamResponse, type Task, TaskState, verifyAgentCardSignature } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { newId, type TurnRunPayload } from '#libs/contracts';
import { ask, until } from '#libs/testing';
import type { JWK } from 'jose';
import { a2aClient, a2aMessage } from '../../testing/a2a-client.js';
import { type EngineWorld, engineWorld } from '../../testing/engine-world.js';
import { type FakeStream, fakeStream } from '../../testing/fake-model.js';
import { routesRequests } from '../../testing/routed-requests.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

let world: EngineWorld;
let agent: string;
let client: Client;
let turns: TurnRunPayload[];

beforeAll(async () => {
  world = await engineWorld({ scopes: ['agents:write', 'agents:ask'], subject: 'key:partner' });
  await world.start({
    ROUTER_URL: world.services.url,
    SWEEP_AFTER_MS: 100,
    TASK_LOOK_MS: 20,
    TASK_WAIT_MS: 20_000,
    APPROVAL_WAIT_MS: 60_000,
  });
});
beforeEach(async () => {
  world.model.script();
  turns = routesRequests(world);
  agent = await agentOf(world, { name: 'Order desk' });
  await publish(agent);
  client = await a2aClient(world.url, agent, () => world.token());
});
afterAll(() => world.close());

const publish = async (id: string): Promise<void> => {
  const body = { name: `desk_${id.slice(-8)}`, description: 'Knows every order.', examples: ['Where is order 7?'] };
  expect(await world.call('PUT', `agents/${id}/publication`, body)).toMatchObject({ status: 200 });
};
const taskOf = (result: unknown): Task => {
  expect(result).toMatchObject({ status: expect.anything(), contextId: expect.anything() });
  return result as Task;
};
const answerOf = ({ artifacts }: Task): unknown => artifacts[0]?.parts[0]?.content?.value;

describe('the card of an agent', () => {
  const cardOf = async (id: string) => {
    const answer = await fetch(`${world.url}/a2a/${id}/.well-known/agent-card.json`);
    return { status: answer.status, text: await answer.text() };
  };

  it('is public and signed while the agent is published, and tells nothing of how it is made', async () => {
    const { status, text } = await cardOf(agent);
    expect({ status, body: JSON.parse(text) as AgentCard }).toMatchObject({
      status: 200,
      body: { name: 'Order desk', description: 'Knows every order.' },
    });
    expect(text).not.toContain('Do as you are told');
    const published = await (await fetch(`${world.url}/a2a/jwks.json`)).text();
    expect(published).not.toContain('"d"');
    const { keys } = JSON.parse(published) as { keys: JWK[] };
    const verify = verifyAgentCardSignature(async (kid) => {
      const key = keys.find((each) => each.kid === kid);
      if (!key) throw new Error(`no key ${kid}`);
      return key;
    });
    const card = await client.getAgentCard();
    await expect(verify(card)).resolves.toBeUndefined();
    await expect(verify({ ...card, description: 'Gives refunds.' })).rejects.toThrow(/signature/i);
  });

  it('is nowhere once the agent is no longer published, and nobody can ask it', async () => {
    expect((await world.call('DELETE', `agents/${agent}/publication`)).status).toBe(204);
    expect((await cardOf(agent)).status).toBe(404);
    await expect(client.sendMessage(a2aMessage('Hello?', 'm1'))).rejects.toThrow();
    expect(turns).toEqual([]);
  });

  it('is made by who may change agents, under a name that is free in the project', async () => {
    const body = { name: `desk_${agent.slice(-8)}`, description: 'Another one.' };
    const other = await agentOf(world, {});
    expect(await world.call('PUT', `agents/${other}/publication`, body)).toMatchObject({
      status: 409,
      body: { code: 'name_taken' },
    });
    expect(await world.call('PUT', `agents/${other}/publication`, body, { scopes: ['agents:ask'] })).toMatchObject({
      status: 403,
    });
    expect(await world.call('PUT', `agents/${newId('agt')}/publication`, body)).toMatchObject({ status: 404 });
    expect(await world.call('PUT', `agents/${other}/publication`, { ...body, name: 'Not so' })).toMatchObject({
      status: 422,
    });
  });
});

describe('a message to a published agent', () => {
  it('is answered by its turn, and the same message again is the same task', async () => {
    world.model.script('It ships **today**.');
    const task = taskOf(await client.sendMessage(a2aMessage('Where is order 7?', 'm1')));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(answerOf(task)).toBe('It ships **today**.');
    expect(task.history).toMatchObject([{ messageId: 'm1', parts: [{ content: { value: 'Where is order 7?' } }] }]);
    const repeated = taskOf(await client.sendMessage(a2aMessage('Where is order 7?', 'm1')));
    expect(repeated).toEqual(task);
    expect(world.model.requests).toHaveLength(1);
    expect(taskOf(await client.getTask({ tenant: '', id: task.id, historyLength: 0 }))).toMatchObject({
      id: task.id,
      history: [],
    });
  });

  it('without waiting gives a task that is found later, and a context remembers what was said in it', async () => {
    world.model.script('Blue.', 'You asked for a colour.');
    const first = taskOf(await client.sendMessage(a2aMessage('Name a colour.', 'm1', {}, true)));
    await until('it has ended', async () => answerOf(await client.getTask({ tenant: '', id: first.id })) === 'Blue.');
    const next = taskOf(await client.sendMessage(a2aMessage('What did I ask?', 'm2', { contextId: first.contextId })));
    expect(next.contextId).toBe(first.contextId);
    expect(JSON.stringify(world.model.requests.at(-1)?.messages)).toContain('Name a colour.');
    const listed = await client.listTasks({
      tenant: '',
      contextId: first.contextId,
      status: 0,
      pageToken: '',
      pageSize: 1,
      statusTimestampAfter: undefined,
    });
    expect(listed).toMatchObject({ totalSize: 2, tasks: [{ id: next.id, artifacts: [] }], nextPageToken: next.id });
    const rest = await client.listTasks({
      tenant: '',
      contextId: '',
      status: TaskState.TASK_STATE_COMPLETED,
      pageToken: listed.nextPageToken,
      includeArtifacts: true,
      statusTimestampAfter: undefined,
    });
    expect(rest.tasks.map(({ id }) => id)).toEqual([first.id]);
    expect(answerOf(rest.tasks[0]!)).toBe('Blue.');
  });

  it('shows its answer while it is written, and where the stream broke off it is followed again', async () => {
    const begun: FakeStream[] = [];
    world.model.script((response) => void begun.push(fakeStream(response)));
    const shown: StreamResponse[] = [];
    const stream = client.sendMessageStream(a2aMessage('Tell me.', 'm1'));
    const read = (async () => {
      for await (const update of stream) shown.push(update);
    })();
    await until('the model is asked', () => begun.length === 1);
    await until('the task is shown', () => shown.length > 0);
    const first = shown[0]?.payload;
    expect(first).toMatchObject({ $case: 'task', value: { id: expect.stringMatching(/^tsk_/) } });
    begun[0]?.write('The sea');
    const written = () => shown.flatMap(({ payload }) => (payload?.$case === 'artifactUpdate' ? [payload.value] : []));
    await until('words are shown', () => written().length > 0);
    const { id } = (first as { value: Task }).value;
    const seconds: StreamResponse[] = [];
    const second = (async () => {
      for await (const update of client.resubscribeTask({ tenant: '', id })) seconds.push(update);
    })();
    await until('it is followed again', () => seconds.length > 0);
    begun[0]?.write(' is blue.');
    begun[0]?.end();
    await Promise.all([read, second]);
    const whole = (updates: StreamResponse[]) =>
      updates.reduce((text, { payload }) => {
        if (payload?.$case !== 'artifactUpdate') return text;
        const words = String(payload.value.artifact?.parts[0]?.content?.value);
        return payload.value.append ? text + words : words;
      }, '');
    expect(whole(shown)).toBe('The sea is blue.');
    expect(whole(seconds)).toBe('The sea is blue.');
    for (const updates of [shown, seconds]) {
      expect(updates.at(-1)?.payload).toMatchObject({
        $case: 'statusUpdate',
        value: { status: { state: TaskState.TASK_STATE_COMPLETED } },
      });
    }
  });

  it('is cancelled once, and says so', async () => {
    const begun: FakeStream[] = [];
    world.model.script((response) => void begun.push(fakeStream(response)));
    const task = taskOf(await client.sendMessage(a2aMessage('Think long.', 'm1', {}, true)));
    await until('the model is asked', () => begun.length === 1);
    const cancelled = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined });
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    begun[0]?.end();
    await expect(client.cancelTask({ tenant: '', id: task.id, metadata: undefined })).rejects.toThrow(/already ended/);
  });

  it('that fails says that, and one that the router refuses is rejected', async () => {
    world.model.script({ content: null, finish_reason: 'content_filter' });
    const failed = taskOf(await client.sendMessage(a2aMessage('Say it.', 'm1')));
    expect(failed.status).toMatchObject({
      state: TaskState.TASK_STATE_FAILED,
      message: { parts: [{ content: { value: expect.stringContaining('could not answer') } }] },
    });
    routesRequests(world, 'blocked');
    const refused = taskOf(await client.sendMessage(a2aMessage('Let me in.', 'm2')));
    expect(refused.status).toMatchObject({
      state: TaskState.TASK_STATE_REJECTED,
      message: { parts: [{ content: { value: expect.stringContaining('blocked') } }] },
    });
  });
});

describe('what is not the caller’s own', () => {
  it('is not found: a task of another key, of another agent and of another project', async () => {
    const task = taskOf(await client.sendMessage(a2aMessage('Mine.', 'm1')));
    const asked = { tenant: '', id: task.id };
    const others = await a2aClient(world.url, agent, () => world.token({ subject: 'key:other' }));
    await expect(others.getTask(asked)).rejects.toThrow(/no task/);
    const elsewhereAgent = await agentOf(world, {});
    await publish(elsewhereAgent);
    const other = await a2aClient(world.url, elsewhereAgent, () => world.token());
    await expect(other.getTask(asked)).rejects.toThrow(/no task/);
    const foreign = { organizationId: newId('org'), projectId: newId('prj') };
    const elsewhere = await a2aClient(world.url, agent, () => world.token(foreign));
    await expect(elsewhere.sendMessage(a2aMessage('Hello', 'm2'))).rejects.toThrow();
    const without = await a2aClient(world.url, agent, () => world.token({ scopes: ['agents:read'] }));
    await expect(without.sendMessage(a2aMessage('Hello', 'm3'))).rejects.toThrow();
    expect(turns).toHaveLength(1);
  });
});

describe('a request that cannot be taken', () => {
  const post = async (body: object, headers: Record<string, string> = { 'a2a-version': '1.0' }) =>
    ask<{ error: { code: number; message: string } }>({
      method: 'POST',
      url: `${world.url}/a2a/${agent}`,
      token: await world.token(),
      body,
      headers,
    });
  const send = (message: object) => post({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } });
  const text = [{ text: 'Hello' }];

  it.each([
    [
      'of another version of the protocol',
      () => post({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: {} }, {}),
      -32009,
      /0\.3/,
    ],
    ['of an unknown method', () => post({ jsonrpc: '2.0', id: 1, method: 'Sing', params: {} }), -32601, /method/i],
    ['without a message id', () => send({ role: 'ROLE_USER', parts: text }), -32602, /messageId/],
    [
      'with a file',
      () => send({ messageId: 'm', role: 'ROLE_USER', parts: [{ url: 'https://x.example/a.png' }] }),
      -32005,
      /files/,
    ],
    ['without text', () => send({ messageId: 'm', role: 'ROLE_USER', parts: [{ text: ' ' }] }), -32602, /no text/],
    [
      'that is too long',
      () => send({ messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x'.repeat(100_001) }] }),
      -32602,
      /TASK_MESSAGE_CHARS/,
    ],
  ])('%s gets an error that says why', async (_what, sent, code, message) => {
    const { status, body } = await sent();
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { error: { message: expect.stringMatching(message) } },
    });
    expect(body.error.code).toBe(code);
    expect(turns).toEqual([]);
  });
});

describe('a task that was begun', () => {
  it('ends once when the process that runs it dies, and its caller finds the answer', async () => {
    const begun: FakeStream[] = [];
    world.model.script((response) => void begun.push(fakeStream(response)), 'After all.');
    const task = taskOf(await client.sendMessage(a2aMessage('Survive.', 'm1', {}, true)));
    await until('the model is asked', () => begun.length === 1);
    // As its death leaves it: claimed, with a lease that nobody renews.
    await world.pool.query(
      `UPDATE engine.turn SET owner = 'live_gone', lease_until = now() - interval '1 minute', claim = claim + 1 WHERE id = $1`,
      [turns[0]?.turn_id],
    );
    const replica = await a2aClient(
      await (await world.start({ ROUTER_URL: world.services.url, SWEEP_AFTER_MS: 100 })).getUrl(),
      agent,
      () => world.token(),
    );
    await until(
      'it is answered',
      async () => answerOf(await replica.getTask({ tenant: '', id: task.id })) === 'After all.',
    );
    begun[0]?.write('Too late.');
    begun[0]?.end();
    await turnsOf(world).reaches(turns[0]?.turn_id ?? '', 'succeeded');
    const repeated = taskOf(await replica.sendMessage(a2aMessage('Survive.', 'm1')));
    expect(answerOf(repeated)).toBe('After all.');
    expect(repeated.id).toBe(task.id);
  });
});
