import { newId } from '#libs/contracts';
import { type EngineWorld, engineWorld, turnOf, sessionOf } from '../../testing/engine-world.js';
import { type FakeModel } from '../../testing/fake-model.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

describe('what an agent sees of its session', () => {
  let world: EngineWorld;
  let model: FakeModel;

  beforeAll(async () => {
    world = await engineWorld();
    ({ model } = world);
    await world.start();
  });
  afterAll(() => world.close());

  it('is what came, what it answered, and what a person answered instead, in order, also in later turns', async () => {
    const session = sessionOf(newId('ses'));
    const agent_id = await agentOf(world, {});
    const message = (text: string) => ({ event_type: 'message', sender: 'ada', message: text, is_bot: false });
    const run = async (text: string, more: object = {}): Promise<string[]> => {
      model.script(`answer to ${text}`);
      const turn = turnOf({ session, agent_id }, { message: message(text), ...more });
      expect(await turnsOf(world).run(turn)).toMatchObject({ state: 'succeeded' });
      return (model.requests[0]?.messages ?? [])
        .filter(({ role }) => role !== 'system')
        .flatMap(({ role, content }) =>
          role === 'user'
            ? [...(content ?? '').matchAll(/^text:\n(.*)$/gm)].map(([, line]) => line ?? '')
            : [content ?? ''],
        );
    };
    const takeover = [
      { by: 'sender', message: message('to a person'), verified: true, after: 0 },
      { by: 'person', text: 'from a person', after: 0 },
    ];
    expect(await run('one')).toEqual(['one']);
    const earlier = ['one', 'answer to one', 'to a person', 'from a person', 'two'];
    expect(await run('two', { takeover })).toEqual(earlier);
    expect(await run('three')).toEqual([...earlier, 'answer to two', 'three']);
  });
});
