import { until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { endpoint } from '../../testing/fake-gateway.js';
import { type IngressWorld, openIngress } from '../../testing/ingress-world.js';
import { HandedOnService } from './handed-on.service.js';

const scope = { organizationId: 'org_1', projectId: 'prj_1' };
const peer = 'https://cell-2.example';

describe('webhooks of a project that moves', () => {
  let here: IngressWorld;
  let there: IngressWorld;
  let services: { here: NestFastifyApplication; there: NestFastifyApplication };

  beforeAll(async () => {
    here = await openIngress({ endpoints: [endpoint('moves', { verification: 'none' })] });
    there = await openIngress({ endpoints: [endpoint('moves', { verification: 'none' })] });
    services = { here: await here.start(), there: await there.start() };
  });
  afterAll(async () => {
    await here?.close();
    await there?.close();
  });

  const handedOn = (at: 'here' | 'there') => services[at].get(HandedOnService, { strict: false });
  const post = async (body: object, key: string, at: 'here' | 'there' = 'here') => {
    const world = at === 'here' ? here : there;
    const answer = await world.post(
      'moves',
      JSON.stringify(body),
      { 'idempotency-key': key },
      await services[at].getUrl(),
    );
    return {
      status: answer.status,
      headers: answer.headers,
      body: (await answer.json()) as { id?: string; error?: string },
    };
  };
  const hold = (state: string, ended = false) =>
    here.query(
      `INSERT INTO journal.project_hold (project_id, organization_id, state, peer, held_by, ended_at)
       VALUES ($1, $2, $3, $4, 'test', $5::timestamptz)
       ON CONFLICT (project_id) DO UPDATE SET state = excluded.state, ended_at = excluded.ended_at`,
      [scope.projectId, scope.organizationId, state, peer, ended ? new Date() : null],
    );
  const answers = (key: string, status: number) =>
    until(`webhooks are answered ${status}`, async () => {
      const answer = await post({}, key);
      return answer.status === status ? answer : null;
    });

  it('are refused with a time to come back while it is arriving', async () => {
    await hold('arriving');
    const { headers, body } = await answers('arriving', 503);
    expect([headers.get('retry-after'), body.error]).toEqual(['5', 'project_arrives']);
  });

  it('are stored and wait while it is leaving', async () => {
    await hold('leaving');
    const { body } = await answers('leaving', 200);
    const entry = await until('its timeline says so', async () => {
      const [found] = await here.query<{ outcome: string; reason: string; detail: object }>(
        `SELECT outcome, reason, detail FROM journal.entry WHERE receipt_id = $1 AND service = 'webhook-ingress'`,
        [body.id],
      );
      return found ?? null;
    });
    expect(entry).toMatchObject({ outcome: 'held', reason: 'project_moves', detail: { to: peer } });
  });

  it('are handed on in order once it has left, are stored there once, and end here', async () => {
    await hold('left');
    const second = await post({ text: 'zwei ✓' }, 'second');
    const batch = await handedOn('here').next(scope, 100);
    expect(batch.at(-1)?.id).toBe(second.body.id);
    expect(batch.map(({ id }) => id)).toEqual(batch.map(({ id }) => id).toSorted());
    await handedOn('there').take(scope, batch);
    await handedOn('there').take(scope, batch);
    const ids = batch.map(({ id }) => id);
    const rows = (world: IngressWorld) =>
      world.query(`SELECT *, encode(body, 'hex') AS body FROM ingress.receipt WHERE id = ANY($1) ORDER BY id`, [ids]);
    expect(await rows(there)).toEqual(await rows(here));
    // The provider sends it once more, to the other address.
    expect((await post({ text: 'zwei ✓' }, 'second', 'there')).body).toMatchObject({
      duplicate: true,
      id: second.body.id,
    });
    await handedOn('here').end(scope, ids, peer);
    expect(await handedOn('here').next(scope, 100)).toEqual([]);
    expect(await handedOn('here').waiting(scope)).toMatchObject({ waiting: 0 });
  });

  it('of an App that is not of the project are not taken', async () => {
    const batch = await handedOn('here').next(scope, 100);
    const foreign = { ...(batch[0] ?? (await taken())), app_id: 'app_other' };
    await expect(handedOn('there').take(scope, [foreign])).rejects.toMatchObject({ status: 409, code: 'app_unknown' });
  });

  it('are refused for good once that was ended', async () => {
    await hold('left', true);
    const { body } = await answers('ended', 410);
    expect(body.error).toBe('project_left');
  });

  const taken = async () => {
    await post({}, 'one more');
    const [one] = await handedOn('here').next(scope, 1);
    if (!one) throw new Error('there is none');
    return one;
  };
});
