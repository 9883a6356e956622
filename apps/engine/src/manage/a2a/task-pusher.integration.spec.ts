import { everyEntry } from '#libs/journal';
import { StreamResponse, type Task, type TaskPushNotificationConfig, TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { until } from '#libs/testing';
import { createLocalJWKSet, flattenedVerify, type JSONWebKeySet } from 'jose';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { a2aClient, a2aMessage } from '../../testing/a2a-client.js';
import { type EngineWorld, engineWorld } from '../../testing/engine-world.js';
import { type FakeStream, fakeStream } from '../../testing/fake-model.js';
import { routesRequests } from '../../testing/routed-requests.js';
import { agentOf } from '../../testing/turns-of.js';

let world: EngineWorld;
let client: Client;
let receiver: Server;
let url: string;
/** What the receiver answers; after the last one, 204. */
let answers: number[];
/** A second receiver, whose address is not allowed: how often somebody came. */
let strangerUrl: string;
let strangers = 0;
let stranger: Server;
const received: { headers: IncomingHttpHeaders; body: string }[] = [];

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(answers.shift() ?? 204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  url = `http://127.0.0.1:${port}/hear`;
  stranger = createServer((_request, response) => {
    strangers += 1;
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  strangerUrl = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/inside`;
  world = await engineWorld({ scopes: ['agents:write', 'agents:ask'], subject: 'key:partner' });
  await world.start({
    ROUTER_URL: world.services.url,
    GATEHOUSE_EGRESS_ALLOW: [`127.0.0.1:${port}`],
    TASK_LOOK_MS: 20,
    TASK_PUSHES: 2,
    TASK_PUSH_EVERY_MS: 50,
  });
  const agent = await agentOf(world, { name: 'Order desk' });
  const body = { name: 'desk', description: 'Knows every order.' };
  expect((await world.call('PUT', `agents/${agent}/publication`, body)).status).toBe(200);
  client = await a2aClient(world.url, agent, () => world.token());
});
beforeEach(() => {
  world.model.script();
  routesRequests(world);
  received.length = 0;
  answers = [];
});
afterAll(async () => {
  for (const server of [receiver, stranger]) {
    server.closeAllConnections();
    server.close();
  }
  await world.close();
});

const configOf = (over: Partial<TaskPushNotificationConfig> = {}): TaskPushNotificationConfig => ({
  tenant: '',
  id: '',
  taskId: '',
  url,
  token: 'token-of-mine',
  authentication: { scheme: 'Bearer', credentials: 'credentials-of-mine' },
  ...over,
});
async function begun(messageId: string, config = configOf()): Promise<{ id: string; model: FakeStream }> {
  const streams: FakeStream[] = [];
  world.model.script((response) => void streams.push(fakeStream(response)));
  const asked = a2aMessage('Where is order 7?', messageId, {}, true);
  asked.configuration!.taskPushNotificationConfig = config;
  const { id } = (await client.sendMessage(asked)) as Task;
  await until('the model is asked', () => streams.length === 1);
  return { id, model: streams[0]! };
}
const states = (): (TaskState | undefined)[] => received.map(({ body }) => taskIn(body).status?.state);
function taskIn(body: string): Task {
  const { payload } = StreamResponse.fromJSON(JSON.parse(body));
  if (payload?.$case !== 'task') throw new Error(`no task in ${body}`);
  return payload.value;
}
const rowOf = async (id: string) =>
  (
    await world.query<{
      state: string;
      reason: string | null;
      secrets: string | null;
      tries: number;
      blocked_since: Date | null;
    }>('SELECT state, reason, secrets, tries, blocked_since FROM engine.task_push WHERE task_id = $1', [id])
  )[0];

describe('a caller who asked for push notifications', () => {
  it('hears of each state with its own token and credentials, signed by a published key', async () => {
    const { id, model } = await begun('m1');
    await until('it is informed of the work', () => states().includes(TaskState.TASK_STATE_WORKING));
    model.write('It ships today.');
    model.end();
    await until('it is informed of the end', () => states().includes(TaskState.TASK_STATE_COMPLETED));
    const { headers, body } = received.at(-1)!;
    expect(taskIn(body)).toMatchObject({ id, artifacts: [{ parts: [{ content: { value: 'It ships today.' } }] }] });
    expect(headers).toMatchObject({
      'x-a2a-notification-token': 'token-of-mine',
      authorization: 'Bearer credentials-of-mine',
      'content-type': 'application/a2a+json',
    });
    const keys = (await (await fetch(`${world.url}/a2a/jwks.json`)).json()) as JSONWebKeySet;
    const [head = '', signature = ''] = String(headers['x-gatehouse-signature']).split('..');
    const signed = (payload: string) =>
      flattenedVerify({ protected: head, signature, payload }, createLocalJWKSet(keys));
    await expect(signed(Buffer.from(body).toString('base64url'))).resolves.toBeDefined();
    await expect(signed(Buffer.from(`${body} `).toString('base64url'))).rejects.toThrow(/signature/);
    await until('nothing is left to tell', async () => (await rowOf(id))?.state === 'done');
    expect(states().filter((state) => state === TaskState.TASK_STATE_COMPLETED)).toHaveLength(1);
  });

  it('whose receiver is away is informed once it is back, and one that refuses is not informed again', async () => {
    answers = [503, 503];
    const { id, model } = await begun('m2');
    model.write('Yes.');
    model.end();
    await until('it is informed in the end', async () => (await rowOf(id))?.state === 'done');
    expect(states().at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
    answers = [410];
    const gone = await begun('m3');
    await until('it is given up', async () => (await rowOf(gone.id))?.state === 'dead');
    expect(await rowOf(gone.id)).toMatchObject({ reason: 'push_refused' });
    const [entry] = await world.query<{ detail: { text: string } }>(
      `SELECT detail FROM ${everyEntry} e WHERE stage = 'delivery' AND reason = 'push_refused'`,
    );
    expect(entry?.detail.text).toMatch(/not informed.*answered 410/);
    gone.model.end();
  });

  it('whose receiver failed and then took a state has all tries and a whole day for the next one', async () => {
    answers = [503];
    const { id, model } = await begun('m6');
    await until('it has failed once', async () => (await rowOf(id))?.blocked_since);
    await until('it is taken', async () => received.length > 1 && (await rowOf(id))?.reason === 'task_open');
    expect(await rowOf(id)).toMatchObject({ state: 'queued', tries: 0, blocked_since: null });
    model.write('Yes.');
    model.end();
    await until('nothing is left to tell', async () => (await rowOf(id))?.state === 'done');
  });

  it('is refused an address that is not public, and nothing is sent there', async () => {
    const { id, model } = await begun('m4', configOf({ url: strangerUrl }));
    await until('it is given up', async () => (await rowOf(id))?.state === 'dead');
    expect(await rowOf(id)).toMatchObject({ reason: 'blocked_address' });
    expect(strangers).toBe(0);
    model.end();
  });

  it('sees, lists and deletes what it asked for, without its secrets, up to a limit', async () => {
    const { id, model } = await begun('m5', configOf({ id: 'one' }));
    const stored = await rowOf(id);
    expect(stored?.secrets).toMatch(/^eyJ/);
    expect(stored?.secrets).not.toContain('credentials-of-mine');
    const whose = { tenant: '', taskId: id };
    const shown = { taskId: id, url, token: '' };
    expect(await client.getTaskPushNotificationConfig({ ...whose, id: 'one' })).toMatchObject({ ...shown, id: 'one' });
    await client.createTaskPushNotificationConfig(configOf({ id: 'two', taskId: id }));
    await expect(client.createTaskPushNotificationConfig(configOf({ id: 'three', taskId: id }))).rejects.toThrow(
      /TASK_PUSHES/,
    );
    const list = () => client.listTaskPushNotificationConfig({ ...whose, pageSize: 0, pageToken: '' });
    expect((await list()).configs.map((config) => config.id)).toEqual(['one', 'two']);
    await client.deleteTaskPushNotificationConfig({ ...whose, id: 'one' });
    expect((await list()).configs.map((config) => config.id)).toEqual(['two']);
    for (const wrong of [{ url: 'ftp://x.example' }, { token: 'a\nb' }, { url: 'https://u:p@x.example' }]) {
      await expect(client.createTaskPushNotificationConfig(configOf({ ...wrong, taskId: id }))).rejects.toThrow();
    }
    model.end();
  });
});
