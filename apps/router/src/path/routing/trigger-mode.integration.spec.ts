import { type NormalizedMessage } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { errorCode } from '#libs/queue';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jobOf, type RouterWorld, routerWorld } from '../../testing/router-world.js';
import type { DryRunView, WarnedTriggerView } from '../../manage/workflows/trigger.dto.js';
import type { WorkflowRow } from '../../entities/rules.entity.js';
import type { MessageRow } from '../../entities/message.entity.js';
import { RoutingService } from './routing.service.js';

let world: RouterWorld;
let router: NestFastifyApplication;
let gateway: Server;
let shown: { path: string; violation: string }[] = [];

beforeAll(async () => {
  gateway = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      // It has every App that a trigger names.
      if (request.method === 'GET')
        return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"name":"Chat"}');
      const { violation } = JSON.parse(Buffer.concat(chunks).toString()) as { violation: string };
      shown.push({ path: request.url ?? '', violation });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  world = await routerWorld();
  router = await world.start({ GATEWAY_URL: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}` });
});
beforeEach(() => (shown = []));
afterAll(async () => {
  await world.close();
  await new Promise((resolve) => gateway.close(resolve));
});

const incomplete: Partial<NormalizedMessage> = { missing: ['event_type', 'is_bot'] };
const listens = async (appId: string): Promise<WarnedTriggerView> => {
  const { body } = await world.call<WorkflowRow>('POST', 'workflows', { name: 'w', instructions: 'do' });
  const rules = { app_id: appId, workflow_id: body.id };
  const made = await world.call<WarnedTriggerView>('POST', 'triggers', rules);
  expect(made.status).toBe(201);
  return made.body;
};
const entryOf = (receipt: string) =>
  world.row<{ outcome: string; detail: object }>(
    `SELECT outcome, detail FROM ${everyEntry} e WHERE receipt_id = $1 AND stage = 'routed'`,
    [receipt],
  );
const routed = async (appId: string, message: Partial<NormalizedMessage>): Promise<MessageRow> => {
  const job = jobOf(appId, message);
  await router.get(RoutingService, { strict: false }).route(job, 1);
  return world.message(job.receipt_id);
};

describe('a message without event_type or is_bot', () => {
  it('goes to the Chief of Staff where no trigger listens', async () => {
    const appId = await world.channel({ unknown_senders: 'open' });
    expect(await routed(appId, incomplete)).toMatchObject({
      outcome: 'routed',
      message: { missing: ['event_type', 'is_bot'] },
    });
    const withoutTriggers = await world.channel({ unknown_senders: 'open', route_policy: 'chief_of_staff' });
    await listens(withoutTriggers);
    expect(await routed(withoutTriggers, incomplete)).toMatchObject({ outcome: 'routed', verdicts: [] });
    expect(shown).toEqual([]);
  });

  it.each([undefined, 'both', 'chief_of_staff_unless_triggered'] as const)(
    'still goes to the Chief of Staff when a trigger was created later (%s), and the timeline says why no trigger was asked',
    async (route_policy) => {
      const appId = await world.channel({ unknown_senders: 'open', ...(route_policy ? { route_policy } : {}) });
      const { id } = await listens(appId);
      const row = await routed(appId, { missing: ['event_type'] });
      expect(row).toMatchObject({ outcome: 'routed', chief_of_staff: 'taken' });
      const reason = 'the adapter left out event_type, which a trigger needs';
      expect(row.verdicts).toMatchObject([{ trigger_id: id, verdict: 'filter_error', reason }]);
      expect(await entryOf(row.receipt_id)).toMatchObject({
        outcome: 'routed',
        detail: { chief_of_staff: 'taken', triggers_not_asked: expect.stringContaining(reason) },
      });
      expect(shown).toMatchObject([{ violation: expect.stringContaining('event_type must be present') }]);
    },
  );

  it('is said in advance by the trigger, with the App and how many such messages there were', async () => {
    const appId = await world.channel({ unknown_senders: 'open' });
    expect((await listens(appId)).warnings).toEqual([]);
    for (const missing of [incomplete, { missing: ['event_type' as const] }, {}]) await routed(appId, missing);
    const path = (id: string): string => `triggers/${id}`;
    const trigger = await listens(appId);
    const warningsOf = (end: string) => [
      {
        code: 'messages_without_event_type',
        message: expect.stringMatching(new RegExp(`^2 of the last 3 messages of the App Chat had .*${end}`)),
      },
    ];
    expect(trigger.warnings).toEqual(warningsOf('goes to the Chief of Staff'));
    const read = await world.call<WarnedTriggerView>('GET', path(trigger.id));
    expect(read.body.warnings).toEqual(trigger.warnings);
    const off = await world.call<WarnedTriggerView>('PATCH', path(trigger.id), { active: false });
    expect(off.body.warnings).toEqual([]);
    expect((await world.call('PATCH', `channels/${appId}`, { route_policy: 'triggers' })).status).toBe(200);
    const on = await world.call<WarnedTriggerView>('PATCH', path(trigger.id), { active: true });
    expect(on.body.warnings).toEqual(warningsOf('is a dead letter'));
    const { body } = await world.call<DryRunView>('POST', 'triggers/dry-run', { app_id: appId });
    expect(body).toMatchObject({ matched: 1, filter_error: 2 });
    expect((await world.call('PATCH', `channels/${appId}`, { route_policy: 'chief_of_staff' })).status).toBe(200);
    const unasked = await world.call<WarnedTriggerView>('GET', path(trigger.id));
    expect(unasked.body.warnings).toMatchObject([
      { code: 'triggers_not_asked', message: expect.stringContaining('Chat') },
    ]);
  });

  it('breaks the contract where only triggers get messages: it dies at once, and the page of the adapter says why', async () => {
    const appId = await world.channel({ unknown_senders: 'open', route_policy: 'triggers' });
    await listens(appId);
    const job = jobOf(appId, incomplete);
    const error: unknown = await router
      .get(RoutingService, { strict: false })
      .route(job, 1)
      .catch((thrown: unknown) => thrown);
    expect(errorCode(error)).toBe('contract_violation');
    expect(shown).toEqual([
      {
        path: `/internal/apps/${appId}/contract-violations`,
        violation: '/parse-inbound: event_type and is_bot must be present, because triggers listen to this App',
      },
    ]);
    expect(await world.query('SELECT 1 FROM router.message WHERE receipt_id = $1', [job.receipt_id])).toEqual([]);
    expect(await routed(appId, {})).toMatchObject({ outcome: 'routed' });
  });

  it('starts no trigger that was created later, also when a person routes it again', async () => {
    const appId = await world.channel({ unknown_senders: 'open' });
    const { receipt_id: receipt } = await routed(appId, incomplete);
    await listens(appId);
    const { status } = await world.call('POST', `events/${receipt}/replay`, {});
    expect(status).toBeLessThan(300);
    const sql = `SELECT 1 FROM router.stale_handover WHERE receipt_id = $1 AND payload ->> 'run' IS NOT NULL`;
    const runs = await world.query(sql, [receipt]);
    expect(runs).toEqual([]);
  });
});
