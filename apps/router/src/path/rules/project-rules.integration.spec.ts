import { ChangeListener } from '#libs/database';
import { until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { caller, jobOf, type RouterWorld, routerWorld } from '../../testing/router-world.js';
import type { WorkflowRow } from '../../entities/rules.entity.js';
import type { MessageRow } from '../../entities/message.entity.js';
import { RoutingService } from '../routing/routing.service.js';

let world: RouterWorld;
/** API requests go to the first one. */
let second: NestFastifyApplication;
let changes: ChangeListener;

beforeAll(async () => {
  world = await routerWorld();
  await world.start();
  second = await world.start();
  changes = second.get(ChangeListener, { strict: false });
  await until('the second router hears of changes', async () => changes.listening);
});
afterAll(() => world.close());

const routed = async (appId: string): Promise<Pick<MessageRow, 'outcome' | 'reason'>> => {
  await changes.caughtUp();
  const job = jobOf(appId, { event_type: 'build' });
  await second.get(RoutingService, { strict: false }).route(job, 1);
  return world.row('SELECT outcome, reason, turns FROM router.message WHERE receipt_id = $1', [job.receipt_id]);
};

describe('a rule that one replica changes', () => {
  it('is in force in the other one for its next message', async () => {
    const appId = await world.channel({ unknown_senders: 'open', route_policy: 'triggers' });
    const { body: workflow } = await world.call<WorkflowRow>('POST', 'workflows', {
      name: 'w',
      instructions: '-',
    });
    expect(await routed(appId)).toMatchObject({ outcome: 'no_match' });
    await world.query(
      `INSERT INTO router.trigger (id, organization_id, project_id, app_id, workflow_id, event_types, active, created_at)
       VALUES ('trg_1', $1, $2, $3, $4, '[]', true, now())`,
      [caller.organizationId, caller.projectId, appId, workflow.id],
    );
    await until('it is in force', async () => (await routed(appId)).outcome === 'routed');
    const off = await world.call('PATCH', `workflows/${workflow.id}`, { status: 'off' });
    expect(off.status).toBe(200);
    await until('it is in force', async () => (await routed(appId)).outcome === 'no_match');
    await world.query('UPDATE router.channel SET route_policy = $2 WHERE app_id = $1', [appId, 'both']);
    await until('it is in force', async () => (await routed(appId)).outcome === 'routed');
  });
});
