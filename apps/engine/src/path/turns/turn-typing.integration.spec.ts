import { until } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf, rehearsal } from '../../testing/engine-world.js';
import { type FakeServices } from '../../testing/fake-services.js';
import { turnsOf } from '../../testing/turns-of.js';

const route = '/internal/adapter-calls/indicate';

describe('a turn whose channel shows that an answer is written', () => {
  let world: EngineWorld;
  let gateway: FakeServices;

  beforeAll(async () => {
    world = await engineWorld();
    gateway = world.services;
    await world.start({ ...rehearsal, GATEWAY_URL: gateway.url, TURN_TYPING_EVERY_MS: 1_000 });
  });
  beforeEach(() => gateway.requests.splice(0));
  afterAll(() => world.close());

  const indicated = () => gateway.requests.filter(({ path }) => path === route).map(({ body }) => body);
  const target = { app_id: 'app_1', channel_address: 'c-1', thread_id: 't-1', reply_context: null };
  const message = {
    event_type: 'message',
    sender: 'ada',
    message: 'hello',
    is_bot: false,
    metadata: { message_id: 'm-1' },
  };
  const run = (more: { typing?: true }) => turnsOf(world).run(turnOf({}, { message, reply: { ...target, ...more } }));

  it('says so when it begins, and when it has ended', async () => {
    gateway.on(route, () => ({ ok: true }));
    await run({ typing: true });
    await until('it has ended', async () => indicated().length === 2);
    const shown = { app_id: 'app_1', channel_address: 'c-1', thread_id: 't-1', message_id: 'm-1' };
    expect(indicated()).toEqual([
      { ...shown, state: 'working' },
      { ...shown, state: 'done' },
    ]);
  });

  it('answers all the same where nothing can be shown, and asks for nothing where the channel shows nothing', async () => {
    gateway.on(route, () => ({ status: 503, code: 'adapter_unready' }));
    await run({ typing: true });
    await until('it was asked', async () => indicated().length === 2);
    gateway.requests.splice(0);
    await run({});
    expect(indicated()).toEqual([]);
  });
});
