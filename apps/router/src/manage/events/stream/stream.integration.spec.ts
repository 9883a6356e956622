import { columnsOf, newId, type ProjectScope } from '#libs/contracts';
import { OperationsServer, ServiceTokens, type Scope } from '#libs/service-kit';
import { testServiceKey, until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type JournaledEvents, journaledEvents } from '../../../testing/journaled-events.js';
import { caller, type RouterWorld, routerWorld } from '../../../testing/router-world.js';

interface Listener {
  status: number;
  type: string | null;
  /** Everything sent so far. */
  text(): string;
  /** Ids of the entries sent so far. */
  ids(): string[];
  stages(): string[];
  ended: Promise<void>;
  leave(): void;
}

const settings = {
  EVENT_STREAM_POLL_MS: 50,
  EVENT_STREAM_HEARTBEAT_MS: 300,
  EVENT_STREAMS_PER_PROJECT: 3,
  EVENT_STREAM_BUFFER_BYTES: 4_096,
};
const tokens = new ServiceTokens(testServiceKey, 'router');
let world: RouterWorld;
let router: NestFastifyApplication;
let events: JournaledEvents;
const listeners: Listener[] = [];
/** Of this test only: a stream begins with what happened just before. */
let owner: ProjectScope;

beforeAll(async () => {
  world = await routerWorld();
  router = await world.start(settings);
  events = journaledEvents(world, router);
});

beforeEach(() => {
  owner = { organizationId: newId('org'), projectId: newId('prj') };
});
afterEach(() => {
  for (const listener of listeners.splice(0)) listener.leave();
});

afterAll(() => world.close());

const happens = (appId = 'app_1'): Promise<string> => events.event({ appId, owner: columnsOf(owner) });

async function listen(
  query = '',
  options: {
    lastId?: string;
    scopes?: Scope[];
    on?: NestFastifyApplication;
  } = {},
): Promise<Listener> {
  const token = await tokens.mint('router', { ...caller, ...owner, scopes: options.scopes ?? ['events:read'] });
  // A connection of its own: a pooled one may be left open, and keep the router from closing.
  const request = get(`${await (options.on ?? router).getUrl()}/api/v1/events/stream${query}`, {
    agent: false,
    headers: { authorization: `Bearer ${token}`, ...(options.lastId ? { 'last-event-id': options.lastId } : {}) },
  });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  let left = false;
  answer.on('data', (part: Buffer) => {
    text += part.toString();
  });
  answer.on('error', (error) => {
    if (!left) text += `\nbroken: ${error.message}`;
  });
  const listener: Listener = {
    status: answer.statusCode ?? 0,
    type: answer.headers['content-type'] ?? null,
    text: () => text,
    ids: () => [...text.matchAll(/^id: (.+)$/gm)].map((match) => match[1]!),
    stages: () =>
      [...text.matchAll(/^data: (.*"stage".*)$/gm)].map((match) => (JSON.parse(match[1]!) as { stage: string }).stage),
    ended: new Promise((resolve) => answer.once('close', resolve)),
    leave: () => {
      left = true;
      request.destroy();
    },
  };
  listeners.push(listener);
  return listener;
}

describe('the live stream', () => {
  it('sends what happens, as it happens', async () => {
    const listener = await listen();
    expect({ status: listener.status, type: listener.type }).toEqual({
      status: 200,
      type: 'text/event-stream; charset=utf-8',
    });
    const id = await happens();
    await until('both entries were sent', () => listener.stages().length === 2);
    expect(listener.stages()).toEqual(['received', 'routed']);
    expect(listener.text()).toContain(`"event_id":"${id}"`);
    expect(listener.text()).not.toContain(owner.organizationId);
  });

  it('begins with what was written just before, also for a client that joins another', async () => {
    const before = await happens();
    const first = await listen();
    await until('the first one has it', () => first.text().includes(before));
    const second = await listen();
    const after = await happens();
    await until('the second one has both', () => [before, after].every((id) => second.text().includes(id)));
    for (const each of [first, second]) expect(new Set(each.ids()).size).toBe(each.ids().length);
  });

  it('sends each entry once', async () => {
    const listener = await listen();
    for (let count = 0; count < 20; count += 1) await happens();
    await until('all were sent', () => listener.ids().length >= 40);
    const polled = listener.text().length;
    await until('a heartbeat came after them', () => listener.text().slice(polled).includes(': still here'));
    expect(new Set(listener.ids()).size).toBe(listener.ids().length);
  });

  it('keeps to the caller’s project', async () => {
    const listener = await listen();
    await events.event({ owner: { organization_id: newId('org'), project_id: newId('prj') } });
    await events.event({ owner: { organization_id: owner.organizationId, project_id: newId('prj') } });
    await events.event({ owner: { organization_id: newId('org'), project_id: owner.projectId } });
    const mine = await happens();
    await until('mine was sent', () => listener.ids().length === 2);
    const streamed = [...listener.text().matchAll(/"event_id":"(evt_\w+)"/g)].map((match) => match[1]);
    expect(new Set(streamed)).toEqual(new Set([mine]));
  });

  it('filters by App, event and stage', async () => {
    const byApp = await listen('?app_id=app_chosen');
    const byStage = await listen('?stage=received');
    await happens();
    await happens('app_chosen');
    await until('the entry of the App was sent', () => byApp.ids().length === 2);
    await until('the entry of the stage was sent', () => byStage.ids().length === 2);
    expect(byApp.text()).not.toContain('app_1');
    expect(byStage.stages()).toEqual(['received', 'received']);
  });

  it('resumes where a client left', async () => {
    const first = await listen();
    await happens();
    await until('it was sent', () => first.ids().length === 2);
    const lastId = first.ids().at(-1)!;
    first.leave();
    const missed = await happens();
    const second = await listen('', { lastId });
    const now = await happens();
    await until('the missed and the new one were sent', () => [missed, now].every((id) => second.text().includes(id)));
    expect(new Set(second.ids()).size).toBe(second.ids().length);
    expect(second.text()).not.toContain('event: gap');
  });

  it('says when it cannot resume from there', async () => {
    const listener = await listen('', { lastId: `${Date.now() - 7_200_000}-0123456789ab` });
    await until('the gap was reported', () => listener.text().includes('event: gap'));
  });

  it.each(['nonsense', '12-zz', '0123456789ab', `${Date.now() + 3_600_000}-0123456789ab`])(
    'refuses to resume from an invalid id: %s',
    async (lastId) => {
      const listener = await listen('', { lastId });
      await until('the refusal was read', () => listener.text().includes('invalid_last_event_id'));
      expect([listener.status, listener.type]).toEqual([400, expect.stringMatching(/^application\/problem\+json/)]);
    },
  );

  it('shows that it is alive while nothing happens', async () => {
    const listener = await listen();
    await until('two heartbeats have arrived', () => listener.text().split(': still here').length > 2);
  });

  it('ends after its time, so that a client proves again that it may listen', async () => {
    const short = await world.start({ ...settings, EVENT_STREAM_MAX_MS: 1_000 });
    const listener = await listen('', { on: short });
    await listener.ended;
    expect(listener.text()).not.toContain('broken');
  });

  it('is refused without the scope, beyond the limit of a project, and before anything is sent', async () => {
    expect((await listen('', { scopes: ['apps:read'] })).status).toBe(403);
    expect((await listen('?stage=nowhere')).status).toBe(422);
    for (let count = 0; count < 3; count += 1) expect((await listen()).status).toBe(200);
    const fourth = await listen();
    await until('the refusal was read', () => fourth.text().includes('too_many_streams'));
    expect(fourth.status).toBe(429);
    expect(fourth.type).toMatch(/^application\/problem\+json/);
    listeners[listeners.length - 2]!.leave();
    await until('there is room again', async () => (await listen()).status === 200);
  });

  it('closes a client that does not read, and keeps the others', async () => {
    await until('those before it have left', async () => (await openStreams()) === 0);
    const slow = await deaf();
    const other = await listen();
    await until('the other one listens', () => other.text().includes('retry'));
    const detail = { pad: 'x'.repeat(100_000) };
    const before = await openStreams();
    const home = columnsOf(owner);
    await until('the slow one is closed', async () => {
      for (let count = 0; count < 20; count += 1) {
        await events.append({ ...home, receipt_id: newId('evt'), stage: 'received', outcome: 'accepted', detail });
      }
      return (await openStreams()) === before - 1;
    });
    expect(other.text()).not.toContain('broken');
    slow.destroy();
  });
});

/** A client that requests the stream and reads nothing of it. */
async function deaf(): Promise<Socket> {
  const token = await tokens.mint('router', { ...caller, ...owner, scopes: ['events:read'] });
  const before = await openStreams();
  const { hostname, port } = new URL(await router.getUrl());
  const socket = connect(Number(port), hostname);
  socket.pause();
  socket.on('error', () => undefined);
  socket.write(`GET /api/v1/events/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`);
  await until('it listens', async () => (await openStreams()) > before);
  return socket;
}

async function openStreams(): Promise<number> {
  const { body: metrics } = await router.get(OperationsServer).http.inject('/metrics');
  return Number(/^gatehouse_event_streams\{.*\} (\d+)$/m.exec(metrics)?.[1]);
}
