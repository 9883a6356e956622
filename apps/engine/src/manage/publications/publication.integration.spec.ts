import { type EngineWorld, engineWorld } from '../../testing/engine-world.js';
import { agentOf } from '../../testing/turns-of.js';

let world: EngineWorld;

beforeAll(async () => {
  world = await engineWorld({ scopes: ['agents:write'] });
  await world.start();
});
afterAll(() => world.close());

describe('agents that are published under one name', () => {
  it('at once are one, and the others are informed that the name is taken', async () => {
    const body = { name: 'same_desk', description: 'One of them.' };
    const agents = await Promise.all([1, 2, 3, 4].map(() => agentOf(world, {})));
    const answers = await Promise.all(agents.map((id) => world.call('PUT', `agents/${id}/publication`, body)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused.map((answer) => answer.body.code)).toEqual(Array(3).fill('name_taken'));
  });
});
