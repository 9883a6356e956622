import { newId, type NormalizedMessage } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { routePolicies, type RoutePolicy, type WorkflowRow } from '../../entities/rules.entity.js';
import { jobOf, type RouterWorld, routerWorld } from '../../testing/router-world.js';
import type { StoredMessage } from '../../entities/message.entity.js';
import { RoutingService } from './routing.service.js';

let world: RouterWorld;
let router: NestFastifyApplication;
let gateway: Server;

beforeAll(async () => {
  // It has every App that a trigger names.
  gateway = createServer((_request, response) => void response.writeHead(200).end('{}'));
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  world = await routerWorld();
  router = await world.start({ GATEWAY_URL: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}` });
});
afterAll(async () => {
  await world.close();
  await new Promise((resolve) => gateway.close(resolve));
});

const workflow = async (status = 'active'): Promise<number> => {
  const { body } = await world.call<WorkflowRow>('POST', 'workflows', { name: 'w', instructions: 'do' });
  if (status !== 'active') await world.call('PATCH', `workflows/${body.id}`, { status });
  return body.id;
};
const trigger = async (app_id: string, rules: object = {}, status = 'active'): Promise<void> => {
  const made = await world.call('POST', 'triggers', { app_id, workflow_id: await workflow(status), ...rules });
  expect(made.status).toBe(201);
};
const channel = (route_policy: RoutePolicy) => world.channel({ unknown_senders: 'open', route_policy });

interface Taken {
  row: StoredMessage;
  by: { runs: number; sessions: number };
  detail: Record<string, unknown>;
}

const route = async (appId: string, message: Partial<NormalizedMessage> = {}, over: object = {}): Promise<Taken> => {
  const job = jobOf(appId, message, over);
  await router.get(RoutingService, { strict: false }).route(job, 1);
  const row = await world.message(job.receipt_id);
  const entry = await world.row<{ detail: Record<string, unknown> }>(
    `SELECT detail FROM ${everyEntry} e WHERE receipt_id = $1 AND stage = 'routed'`,
    [job.receipt_id],
  );
  const runs = row.turns.filter(({ run }) => run).length;
  return { row, by: { runs, sessions: row.turns.length - runs }, detail: entry.detail };
};

const nobody = { runs: 0, sessions: 0 };
const triggerOnly = { runs: 1, sessions: 0 };
const chiefOnly = { runs: 0, sessions: 1 };
const both = { runs: 1, sessions: 1 };

describe.each([
  ['an App with an adapter', {}],
  ['the built-in Webhook app', { app_kind: 'builtin', verified_scheme: 'none' }],
])('the route policy of a channel of %s', (_kind, over) => {
  it.each<[RoutePolicy, object, object, string]>([
    ['both', both, chiefOnly, 'taken'],
    ['triggers', triggerOnly, nobody, 'off'],
    ['chief_of_staff', chiefOnly, chiefOnly, 'taken'],
    ['chief_of_staff_unless_triggered', triggerOnly, chiefOnly, 'trigger_took_it'],
  ])('%s: decides who gets a message, and the timeline says so', async (policy, onMatch, otherwise, verdict) => {
    const appId = await channel(policy);
    await trigger(appId, { event_types: ['issue_opened'] });
    const matched = await route(appId, { event_type: 'issue_opened' }, over);
    expect(matched.by).toEqual(onMatch);
    expect(matched.row.chief_of_staff).toBe(verdict);
    expect(matched.detail).toMatchObject({
      route_policy: policy,
      chief_of_staff: verdict,
      verdicts: policy === 'chief_of_staff' ? [] : [{ verdict: 'matched' }],
    });
    const missed = await route(appId, { event_type: 'issue_closed' }, over);
    expect(missed.by).toEqual(otherwise);
    expect(missed.detail).toMatchObject({
      route_policy: policy,
      chief_of_staff: policy === 'triggers' ? 'off' : 'taken',
    });
    expect(missed.row.outcome).toBe(policy === 'triggers' ? 'no_match' : 'routed');
  });

  it.each<[string, object, string, string]>([
    ['has reached its limit', { limit_per_minute: 1 }, 'active', 'rate_limited'],
    ['could not be evaluated', { where: 'metadata.absent > 1' }, 'active', 'filter_error'],
    ['starts a workflow that is off', {}, 'off', 'off'],
  ])('leaves the Chief of Staff a message whose trigger %s', async (_what, rules, status, verdict) => {
    const appId = await channel('chief_of_staff_unless_triggered');
    await trigger(appId, rules, status);
    if (verdict === 'rate_limited') expect((await route(appId, {}, over)).by).toEqual(triggerOnly);
    const { row, by, detail } = await route(appId, {}, over);
    expect(by).toEqual(chiefOnly);
    expect(row).toMatchObject({ outcome: 'routed', reason: null, chief_of_staff: 'taken', verdicts: [{ verdict }] });
    expect(detail).toMatchObject({ chief_of_staff: 'taken', verdicts: [{ verdict }] });
  });

  it('counts a run that waits for its workflow as one that took the message', async () => {
    const appId = await channel('chief_of_staff_unless_triggered');
    await trigger(appId, {}, 'suspended');
    expect(await route(appId, {}, over)).toMatchObject({ by: triggerOnly, row: { chief_of_staff: 'trigger_took_it' } });
  });

  it('counts a message that joins a waiting run as taken', async () => {
    const appId = await channel('chief_of_staff_unless_triggered');
    await trigger(appId, { debounce_seconds: 60 });
    const sender = newId('con');
    expect((await route(appId, { sender }, over)).by).toEqual(triggerOnly);
    const joined = await route(appId, { sender }, over);
    expect(joined).toMatchObject({ by: nobody, row: { outcome: 'routed', chief_of_staff: 'trigger_took_it' } });
  });

  it.each(routePolicies)('%s: keeps the messages of machines from the Chief of Staff', async (policy) => {
    const { by, row } = await route(await channel(policy), { metadata: { bounce: true } }, over);
    expect(by).toEqual(nobody);
    expect(row.chief_of_staff).toBe(policy === 'triggers' ? 'off' : 'bounce');
  });
});

it.each(routePolicies)('a workflow_id of the Webhook app comes before the policy %s', async (policy) => {
  const appId = await channel(policy);
  await trigger(appId);
  const named = await route(appId, { workflow_id: await workflow() }, { app_kind: 'builtin', verified_scheme: 'none' });
  expect(named).toMatchObject({ by: triggerOnly, row: { chief_of_staff: null, verdicts: [] } });
  expect(named.detail).not.toHaveProperty('route_policy');
});

it('a policy other than these four is refused with their names', async () => {
  const answer = await world.call('PUT', `channels/${newId('app')}`, { route_policy: 'nobody' });
  expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: 'route_policy' }] } });
});
