import { type NormalizedMessage } from '#libs/contracts';
import { errorCode } from '#libs/queue';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jobOf, type RouterWorld, routerWorld } from '../testing/router-world.js';
import type { WorkflowRow } from '../workflows/workflow.entity.js';
import type { MessageRow } from './message.entity.js';
import { RoutingService } from './routing.service.js';

let world: RouterWorld;
let router: NestFastifyApplication;
let gateway: Server;
let told: { path: string; violation: string }[] = [];

beforeAll(async () => {
  gateway = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      // It has every App that a trigger names.
      if (request.method === 'GET') return void response.writeHead(200).end('{}');
      const { violation } = JSON.parse(Buffer.concat(chunks).toString()) as { violation: string };
      told.push({ path: request.url ?? '', violation });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  world = await routerWorld();
  router = await world.start({ GATEWAY_URL: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}` });
});
beforeEach(() => (told = []));
afterAll(async () => {
  await world.close();
  await new Promise((resolve) => gateway.close(resolve));
});

const incomplete: Partial<NormalizedMessage> = { missing: ['event_type', 'is_bot'] };
const listens = async (appId: string): Promise<void> => {
  const { body } = await world.api<WorkflowRow>('POST', '/api/v1/workflows', { name: 'w', instructions: 'do' });
  const made = await world.api('POST', '/api/v1/triggers', { app_id: appId, workflow_id: body.id });
  expect(made.status).toBe(201);
};
const routed = async (appId: string, message: Partial<NormalizedMessage>): Promise<MessageRow> => {
  const job = jobOf(appId, message);
  await router.get(RoutingService, { strict: false }).route(job, 1);
  return world.row<MessageRow>('SELECT * FROM router.message WHERE receipt_id = $1', [job.receipt_id]);
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
    expect(told).toEqual([]);
  });

  it('breaks the contract where triggers listen: it dies at once, and the page of the adapter says why', async () => {
    const appId = await world.channel({ unknown_senders: 'open' });
    await listens(appId);
    const job = jobOf(appId, incomplete);
    const error: unknown = await router
      .get(RoutingService, { strict: false })
      .route(job, 1)
      .catch((thrown: unknown) => thrown);
    expect(errorCode(error)).toBe('contract_violation');
    expect(told).toEqual([
      {
        path: `/internal/apps/${appId}/contract-violations`,
        violation: '/parse-inbound: event_type and is_bot must be present, because triggers listen to this App',
      },
    ]);
    expect(await world.rows('SELECT 1 FROM router.message WHERE receipt_id = $1', [job.receipt_id])).toEqual([]);
    expect(await routed(appId, {})).toMatchObject({ outcome: 'routed' });
  });

  it('starts no trigger that was created later, also when a person routes it again', async () => {
    const appId = await world.channel({ unknown_senders: 'open' });
    const { receipt_id: receipt } = await routed(appId, incomplete);
    await listens(appId);
    const { status } = await world.api('POST', `/api/v1/events/${receipt}/replay`, {});
    expect(status).toBeLessThan(300);
    const sql = `SELECT 1 FROM router.stale_handover WHERE receipt_id = $1 AND payload ->> 'run' IS NOT NULL`;
    const runs = await world.rows(sql, [receipt]);
    expect(runs).toEqual([]);
  });
});
