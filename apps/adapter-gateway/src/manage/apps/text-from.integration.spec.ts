import type { Scope } from '#libs/service-kit';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';

describe('who writes the text of a signed webhook', () => {
  let world: GatewayWorld;

  beforeAll(async () => {
    world = await startGateway();
  });
  afterAll(() => world.close());

  const manager = { scopes: ['apps:write', 'approvals:manage'] as Scope[] };
  const webhook = { name: 'Webhook', kind: 'builtin' };

  it('is a person, until somebody who manages approvals says that it is the system', async () => {
    const { body: app } = await world.call('POST', 'apps', webhook);
    expect(app.text_from).toBe('people');
    const system = { text_from: 'system' };
    const admin = { scopes: ['admin'] as Scope[] };
    for (const [method, path, body] of [
      ['POST', 'apps', { ...webhook, ...system }],
      ['PATCH', `apps/${app.id}`, system],
    ] as const) {
      const refused = await world.call(method, path, body, admin);
      expect([refused.status, refused.body.code]).toEqual([403, 'scope_missing']);
    }
    expect((await world.call('PATCH', `apps/${app.id}`, system, manager)).body.text_from).toBe('system');
    expect((await world.call('PATCH', `apps/${app.id}`, { name: 'Other' })).body.text_from).toBe('system');
    expect((await world.call('PATCH', `apps/${app.id}`, { text_from: 'people' })).body.text_from).toBe('people');
    const { data } = (await world.internal('GET', 'audit')).body;
    expect(data.reverse()).toMatchObject([
      {
        action: 'app.text_from_set',
        actor: 'key:test',
        subject: app.id,
        before: { text_from: 'people' },
        after: { text_from: 'system' },
      },
      { before: { text_from: 'system' }, after: { text_from: 'people' } },
    ]);
  });
});
