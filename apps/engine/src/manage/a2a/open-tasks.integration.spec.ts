import { type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import type { TurnRunPayload } from '#libs/contracts';
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
const settings = () => ({ ROUTER_URL: world.services.url, TASK_LOOK_MS: 20, TASK_WAIT_MS: 20_000 });

beforeAll(async () => {
  world = await engineWorld({ scopes: ['agents:write', 'agents:ask'], subject: 'key:partner' });
  await world.start(settings());
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
  const body = { name: `desk_${id.slice(-8)}`, description: 'Knows every order.' };
  expect(await world.call('PUT', `agents/${id}/publication`, body)).toMatchObject({ status: 200 });
};
const taskOf = (result: unknown): Task => {
  expect(result).toMatchObject({ status: expect.anything(), contextId: expect.anything() });
  return result as Task;
};

describe('a task that has not ended', () => {
  it('of an agent that is no longer published is still found, followed and cancelled, and no other one begins', async () => {
    const begun: FakeStream[] = [];
    world.model.script((response) => void begun.push(fakeStream(response)));
    const { id } = taskOf(await client.sendMessage(a2aMessage('Think long.', 'm1', {}, true)));
    await until('the model is asked', () => begun.length === 1);
    expect((await world.call('DELETE', `agents/${agent}/publication`)).status).toBe(204);
    await expect(client.sendMessage(a2aMessage('Another one.', 'm2'))).rejects.toThrow(/no agent/i);
    expect(await client.getTask({ tenant: '', id })).toMatchObject({ id });
    const followed: StreamResponse[] = [];
    const following = (async () => {
      for await (const update of client.resubscribeTask({ tenant: '', id })) followed.push(update);
    })();
    await until('it is followed', () => followed.length > 0);
    expect((await client.cancelTask({ tenant: '', id, metadata: undefined })).status?.state).toBe(
      TaskState.TASK_STATE_CANCELED,
    );
    await following;
    begun[0]?.end();
    expect(turns).toHaveLength(1);
  });

  it('is answered at once where as many are followed as may be, so that nobody asks for it again', async () => {
    const full = await world.start({ ...settings(), TASK_FOLLOWERS: 0 });
    const url = await full.getUrl();
    const there = await a2aClient(url, agent, () => world.token());
    const begun: FakeStream[] = [];
    world.model.script((response) => void begun.push(fakeStream(response)));
    const { id, status } = taskOf(await there.sendMessage(a2aMessage('Is there room?', 'm1')));
    expect([TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING]).toContain(status?.state);
    await expect(there.resubscribeTask({ tenant: '', id }).next()).rejects.toThrow(/ask for the task/);
    await until('the model is asked', () => begun.length === 1);
    begun[0]?.write('There is.');
    begun[0]?.end();
    expect(turns).toHaveLength(1);
  });
});
