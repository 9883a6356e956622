import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { endpoint } from '../../testing/fake-gateway.js';
import { type IngressWorld, openIngress } from '../../testing/ingress-world.js';
import { receipt } from '../../testing/receipts-world.js';
import type { HandedOnReceipt } from './handed-on.dto.js';
import { HandedOnRepository } from './handed-on.repository.js';
import { HandedOnService } from './handed-on.service.js';

const scope = { organizationId: 'org_1', projectId: 'prj_1' };
const peer = 'https://cell-2.example';

describe('webhooks of a project that moves', () => {
  let here: IngressWorld;
  let there: IngressWorld;
  let services: { here: NestFastifyApplication; there: NestFastifyApplication };

  beforeAll(async () => {
    const own = endpoint('moves', { verification: 'none' });
    const off = endpoint('off', { verification: 'none', version: 2 });
    here = await openIngress({ endpoints: [own, off] });
    const others = endpoint('others', { project_id: 'prj_2', version: 3 });
    there = await openIngress({ endpoints: [own, { ...off, state: 'disabled' }, others] });
    services = { here: await here.start(), there: await there.start() };
  });
  afterAll(async () => {
    await here?.close();
    await there?.close();
  });

  const handedOn = (at: 'here' | 'there') => services[at].get(HandedOnService, { strict: false });
  const post = async (body: object, key: string, at: 'here' | 'there' = 'here', token = 'moves') => {
    const world = at === 'here' ? here : there;
    const answer = await world.post(
      token,
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
        `SELECT outcome, reason, detail FROM ${everyEntry} e WHERE receipt_id = $1 AND service = 'webhook-ingress'`,
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
      world.query<Record<string, unknown>>(
        `SELECT *, encode(body, 'hex') AS body FROM ingress.receipt WHERE id = ANY($1) ORDER BY id`,
        [ids],
      );
    const urls = new Map(batch.map(({ id, url }) => [id, url]));
    expect([...urls.values()]).toEqual(batch.map(() => 'https://gatehouse.example/api/v1/webhooks/moves'));
    expect(await rows(there)).toEqual((await rows(here)).map((row) => ({ ...row, url: urls.get(String(row['id'])) })));
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

  it('whose ids are not of their time, or have no whole URL, are not taken', async () => {
    const one = await taken();
    const later = new Date(Date.parse(one.received_at) + 1).toISOString();
    const far = receipt({ receivedAt: new Date(Date.now() + 7_200_000) });
    const changes: Partial<HandedOnReceipt>[] = [
      { received_at: later },
      { id: one.id.toUpperCase() },
      { id: far.id, received_at: far.receivedAt.toISOString() },
      { url: '/api/v1/webhooks/moves' },
      { headers: { host: 1 } },
      { keys: [['a', 'b'], []] as never[] },
    ];
    for (const change of changes) {
      const given = handedOn('there').take(scope, [{ ...one, ...change }]);
      await expect(given).rejects.toMatchObject({ status: 422, code: 'receipt_wrong' });
    }
  });

  it('under an id that another project has there are not taken, and that one stays as it is', async () => {
    const one = await taken();
    await handedOn('there').take(scope, [one]);
    await there.query('DELETE FROM ingress.stale_receipt');
    const other = { ...scope, projectId: 'prj_2' };
    const given = handedOn('there').take(other, [{ ...one, app_id: 'app_others', keys: [] }]);
    await expect(given).rejects.toMatchObject({ status: 409, code: 'id_taken' });
    expect(await there.query('SELECT project_id FROM ingress.receipt WHERE id = $1', [one.id])).toEqual([
      { project_id: 'prj_1' },
    ]);
    expect(await there.query('SELECT * FROM ingress.stale_receipt')).toEqual([]);
  });

  it('are handed on, whatever is left of receipts that were deleted, and in order where the sweep is behind', async () => {
    const one = await taken();
    const old = receipt({ receivedAt: new Date(Date.parse(one.received_at) - 600_000) });
    await here.query(
      `INSERT INTO ingress.stale_receipt (receipt_id, app_id, received_at, next_at)
       VALUES ('evt_000000000000', 'app_moves', '2000-01-01', now() + interval '1 hour')`,
    );
    await here.query(
      `INSERT INTO ingress.receipt
       SELECT $1, $2, organization_id, project_id, app_id, outcome, reason, method, url, headers, body, verified_scheme,
              remote_address, packed_bytes FROM ingress.receipt WHERE id = $3`,
      [old.id, old.receivedAt, one.id],
    );
    await here.query(`UPDATE ingress.sweep SET swept_to = now() - interval '1 hour' WHERE id = 1`);
    expect((await handedOn('here').next(scope, 1)).map(({ id }) => id)).toEqual([old.id]);
    await handedOn('here').end(scope, [old.id], peer);
  });

  it('travel in batches of their size as it came, and not as it is packed', async () => {
    await post({}, 'first of two');
    await post({}, 'second of two');
    const next = () => services.here.get(HandedOnRepository, { strict: false }).next(scope, 100, 1_000);
    const whole = (await next()).length;
    expect(whole).toBeGreaterThan(1);
    await here.query('UPDATE ingress.receipt SET packed_bytes = 1000');
    expect(await next()).toHaveLength(1);
    await here.query('UPDATE ingress.receipt SET packed_bytes = NULL');
  });

  it('whose App takes none there are stored, and end with its reason', async () => {
    const { body } = await post({}, 'to one that is off', 'here', 'off');
    const batch = (await handedOn('here').next(scope, 100)).filter(({ id }) => id === body.id);
    await handedOn('there').take(scope, batch);
    await handedOn('there').take(scope, batch);
    const entries = `SELECT outcome, reason, terminal FROM ${everyEntry} e WHERE receipt_id = $1`;
    expect(await there.query(entries, [body.id])).toEqual([
      { outcome: 'refused', reason: 'app_disabled', terminal: true },
    ]);
    expect(await there.query('SELECT id FROM ingress.receipt WHERE id = $1', [body.id])).toHaveLength(1);
    await handedOn('here').end(scope, [String(body.id)], peer);
  });

  it('that Postgres refuses there are named, and end here as dead letters', async () => {
    const one = await taken();
    const fresh = receipt();
    const wrong = { ...one, id: fresh.id, received_at: fresh.receivedAt.toISOString(), method: '\u0000', keys: [] };
    await expect(handedOn('there').take(scope, [wrong])).rejects.toMatchObject({
      status: 422,
      code: 'receipt_refused',
    });
    await handedOn('here').deadLetter(scope, {
      id: one.id,
      to: peer,
      reason: 'receipt_refused',
      error: 'It was refused.',
    });
    expect((await handedOn('here').next(scope, 100)).map(({ id }) => id)).not.toContain(one.id);
    const letters = 'SELECT reason, error, state FROM journal.dead_letter WHERE receipt_id = $1';
    expect(await here.query(letters, [one.id])).toEqual([
      { reason: 'receipt_refused', error: 'It was refused.', state: 'open' },
    ]);
  });

  it.each([
    ['ending', false],
    ['left', true],
  ])('are refused for good once it is %s (ended: %s)', async (state, ended) => {
    await hold('left');
    await answers(`before ${state}`, 200);
    await hold(state, ended);
    const { body } = await answers(`once ${state}`, 410);
    expect(body.error).toBe('project_left');
  });

  it('are refused by a process that has just started from its first request on', async () => {
    await hold('ending');
    const started = await here.start();
    const answer = await here.post('moves', '{}', { 'idempotency-key': 'first' }, await started.getUrl());
    expect(answer.status).toBe(410);
  });

  let made = 0;
  const taken = async () => {
    await post({}, `one more ${(made += 1)}`);
    const [one] = await handedOn('here').next(scope, 1);
    if (!one) throw new Error('there is none');
    return one;
  };
});
