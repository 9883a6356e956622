import { type AskedWait, newId, type WaitAnswer, type WaitHeard } from '#libs/contracts';
import { until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MessageRow, StoredMessage } from '../../entities/message.entity.js';
import type { WorkflowRow } from '../../entities/rules.entity.js';
import { RoutingService } from '../../path/routing/routing.service.js';
import { ProjectRules } from '../../path/rules/project-rules.js';
import { caller, jobOf, type RouterWorld, routerWorld } from '../../testing/router-world.js';
import type { EventWaitPage, EventWaitView } from './event-wait.dto.js';
import type { EventWaitRow } from './event-wait.entity.js';
import { EventWaitRepository } from './event-wait.repository.js';

describe('a run that waits for an event', () => {
  let world: RouterWorld;
  let router: NestFastifyApplication;
  let engine: Server;
  let reported: { turn: string; wait: string }[] = [];
  let hears: WaitHeard['is'][] = [];
  let appId: string;

  beforeAll(async () => {
    engine = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const turn = /turns\/(\w+)\/wait-ended/.exec(request.url ?? '')?.[1];
        const { wait_id = '' } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as { wait_id?: string };
        if (turn) reported.push({ turn, wait: wait_id });
        const body = turn ? { is: hears.shift() ?? 'woken' } : { runs: [], turns: [] };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
    await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
    world = await routerWorld();
    const ENGINE_URL = `http://127.0.0.1:${(engine.address() as AddressInfo).port}`;
    router = await world.start({
      ENGINE_URL,
      EVENT_WAIT_EVERY_MS: 100,
      EVENT_WAITS_PER_PROJECT: 20,
      TURN_LEASE_MS: 5_000,
    });
  });
  beforeEach(async () => {
    await world.query('DELETE FROM router.event_wait');
    router.get(ProjectRules, { strict: false }).forgetWaits(caller.projectId);
    reported = [];
    hears = [];
    appId = await world.channel({ unknown_senders: 'open', route_policy: 'triggers' });
  });
  afterAll(async () => {
    await world.close();
    await new Promise((resolve) => engine.close(resolve));
  });

  const asked = (over: Partial<AskedWait> = {}): AskedWait => ({
    turn_id: newId('trn'),
    run_id: newId('run'),
    workflow_id: 1,
    message_id: newId('msg'),
    step: 'paid',
    app_id: appId,
    event_type: null,
    where: null,
    given: { run: { event: {}, metadata: {} }, steps: {} },
    consume: false,
    since: null,
    until: new Date(Date.now() + 3_600_000).toISOString(),
    ...over,
  });
  const put = (id: string, body: AskedWait) =>
    world.internal<WaitAnswer & { code: string }>('PUT', `event-waits/${id}`, body);
  const ask = async (over: Partial<AskedWait> = {}) => {
    const id = newId('wai');
    const body = asked(over);
    const answer = await put(id, body);
    expect(answer.status).toBe(200);
    return { id, body, ...answer.body, repeat: async () => (await put(id, body)).body };
  };
  const receive = async (message: object = {}, app = appId, over: object = {}): Promise<StoredMessage> => {
    const job = jobOf(app, message, over);
    await router.get(RoutingService, { strict: false }).route(job, 1);
    return world.message(job.receipt_id);
  };
  const rowOf = (id: string) => world.row<EventWaitRow>('SELECT * FROM router.event_wait WHERE id = $1', [id]);
  /** As if it had been stored a minute ago: every router knows it. */
  const isKnown = (id: string) =>
    world.query(
      `UPDATE router.event_wait SET created_at = created_at - interval '1 minute', since = since - interval '1 minute'
        WHERE id = $1`,
      [id],
    );
  const isReported = (id: string) =>
    until(
      `the engine has heard of ${id}`,
      async () => (await rowOf(id)).state === 'done' && reported.filter(({ wait }) => wait === id),
    );

  it('goes on with the first event that fits, which is routed as usual, and the engine hears of it once', async () => {
    const where = 'metadata.order == steps.create.result.id && metadata.kind == run.metadata.kind';
    const given = { run: { event: {}, metadata: { kind: 'book' } }, steps: { create: { result: { id: 7 } } } };
    const wait = await ask({ event_type: 'paid', where, given });
    expect(wait).toMatchObject({ state: 'waiting', event: null });
    await receive({ event_type: 'sent', metadata: { order: 7, kind: 'book' } });
    await receive({ event_type: 'paid', metadata: { order: 8, kind: 'book' } });
    await receive({ event_type: 'paid', metadata: {} });
    expect((await wait.repeat()).state).toBe('waiting');
    const came = await receive({ event_type: 'paid', metadata: { order: 7, kind: 'book' } });
    expect(came).toMatchObject({ outcome: 'routed', reason: 'continued_run' });
    await receive({ event_type: 'paid', metadata: { order: 7, kind: 'book' } });
    expect(await wait.repeat()).toMatchObject({
      state: 'fulfilled',
      event: { id: came.receipt_id, message_id: came.id, app_id: appId, trust: 'unknown', verified: true },
    });
    expect(await isReported(wait.id)).toEqual([{ turn: wait.body.turn_id, wait: wait.id }]);
    const { body } = await world.call<{ continued: EventWaitView[]; why: string }>('GET', `events/${came.receipt_id}`);
    expect(body).toMatchObject({
      continued: [{ id: wait.id, run_id: wait.body.run_id, step: 'paid', state: 'fulfilled' }],
      why: expect.stringContaining('A run waited for it, and went on.'),
    });
  });

  it('shares an event with others that wait for it, and takes only one of several', async () => {
    const [one, other] = [await ask(), await ask()];
    const first = await receive();
    const second = await receive();
    expect([(await rowOf(one.id)).message_id, (await rowOf(other.id)).message_id]).toEqual([first.id, first.id]);
    expect(second).toMatchObject({ outcome: 'no_match' });
  });

  it('leaves the event to triggers as well, unless it consumes it', async () => {
    const { body: workflow } = await world.call<WorkflowRow>('POST', 'workflows', { name: 'w', instructions: 'do' });
    await world.query(
      `INSERT INTO router.trigger (id, organization_id, project_id, app_id, workflow_id, event_types, active, created_at)
       VALUES ($1, $2, $3, $4, $5, '[]', true, now())`,
      [newId('trg'), caller.organizationId, caller.projectId, appId, workflow.id],
    );
    router.get(ProjectRules, { strict: false }).forget(caller.projectId);
    await ask();
    expect(await receive()).toMatchObject({
      outcome: 'routed',
      reason: null,
      turns: [{ run: { workflow_id: workflow.id } }],
    });
    const consumes = await ask({ consume: true });
    const taken = await receive();
    expect(taken).toMatchObject({ outcome: 'routed', reason: 'continued_run', turns: [] });
    expect(taken.verdicts).toMatchObject([
      { verdict: 'filtered', reason: expect.stringContaining('took it for itself') },
    ]);
    expect((await consumes.repeat()).state).toBe('fulfilled');
    expect(await receive()).toMatchObject({ turns: [{ run: { workflow_id: workflow.id } }] });
  });

  it('is not continued by what the guards refuse, until a person releases it', async () => {
    const held = await world.channel({ unknown_senders: 'hold', route_policy: 'triggers' });
    const wait = await ask({ app_id: null });
    expect(await receive({}, held)).toMatchObject({ outcome: 'held_unknown_sender' });
    expect(await receive({ is_bot: true })).toMatchObject({ outcome: 'dropped_bot' });
    expect((await wait.repeat()).state).toBe('waiting');
    const { data } = (await world.call<{ data: MessageRow[] }>('GET', 'held-messages?outcome=held_unknown_sender'))
      .body;
    const message_ids = data.map(({ id }) => id);
    await world.call('POST', 'held-messages/release', { message_ids });
    expect(await wait.repeat()).toMatchObject({ state: 'fulfilled', event: { message_id: message_ids[0] } });
  });

  it('counts an event from before only where it says so, back to when its run began, and no event twice', async () => {
    const before = await receive({ event_type: 'early' });
    const since = new Date(Date.now() - 60_000).toISOString();
    expect((await ask({ event_type: 'early' })).state).toBe('waiting');
    const first = await ask({ event_type: 'early', since });
    expect(first).toMatchObject({ state: 'fulfilled', event: { message_id: before.id } });
    // Another step of the same run, and another run.
    expect((await ask({ event_type: 'early', since, turn_id: first.body.turn_id })).state).toBe('waiting');
    expect((await ask({ event_type: 'early', since })).state).toBe('fulfilled');
    // Its own message, and one from before its run.
    expect((await ask({ event_type: 'early', since, message_id: before.id })).state).toBe('waiting');
    expect((await ask({ event_type: 'early', since: new Date(Date.now() + 1_000).toISOString() })).state).toBe(
      'waiting',
    );
    await world.query("UPDATE router.claim SET claimed_at = now() - interval '10 minutes'");
    const long = new Date(Date.now() - 3_600_000).toISOString();
    expect((await ask({ event_type: 'early', since: long })).state).toBe('waiting');
  });

  it('gets an event that a router took which had not heard of it yet', async () => {
    const wait = await ask({ event_type: 'missed' });
    const missed = await receive({ event_type: 'other' });
    // As that router would have stored it.
    await world.query(
      `UPDATE router.message SET message = jsonb_set(message, '{event_type}', '"missed"') WHERE id = $1`,
      [missed.id],
    );
    expect((await wait.repeat()).state).toBe('waiting');
    await world.query(`UPDATE router.claim SET claimed_at = claimed_at - interval '1 minute' WHERE message_id = $1`, [
      missed.id,
    ]);
    await isKnown(wait.id);
    expect(await isReported(wait.id)).toHaveLength(1);
    expect(await wait.repeat()).toMatchObject({ state: 'fulfilled', event: { message_id: missed.id } });
  });

  it('does not read once more what came when every router knew of it', async () => {
    const wait = await ask({ event_type: 'late' });
    const late = await receive({ event_type: 'other' });
    await world.query(
      `UPDATE router.message SET message = jsonb_set(message, '{event_type}', '"late"') WHERE id = $1`,
      [late.id],
    );
    await isKnown(wait.id);
    await until('it has looked back', async () => (await rowOf(wait.id)).looked_back);
    expect((await wait.repeat()).state).toBe('waiting');
  });

  it('goes on, and ends in time, while another one is looked back for or cannot be', async () => {
    const rows = router.get(EventWaitRepository, { strict: false });
    const arrivedSince = rows.arrivedSince.bind(rows);
    const ids: Awaited<ReturnType<typeof ask>>[] = [];
    for (let n = 0; n < 3; n += 1) ids.push(await ask({ event_type: 'none' }));
    const [broken, slow, beside] = ids as [(typeof ids)[0], (typeof ids)[0], (typeof ids)[0]];
    const slowness = Promise.withResolvers<[]>();
    const begun = Promise.withResolvers<void>();
    rows.arrivedSince = (row, ...rest) => {
      if (row.id === broken.id) return Promise.reject(new Error('it takes too long'));
      if (row.id !== slow.id) return arrivedSince(row, ...rest);
      begun.resolve();
      return slowness.promise;
    };
    try {
      await isKnown(broken.id);
      const over = await ask({ event_type: 'none', until: new Date(Date.now() - 1_000).toISOString() });
      await isReported(over.id);
      await isKnown(slow.id);
      await begun.promise;
      const wait = await ask();
      await receive();
      expect(await isReported(wait.id)).toHaveLength(1);
      await isKnown(beside.id);
      await until('the other one has looked back beside it', async () => (await rowOf(beside.id)).looked_back);
      expect((await rowOf(slow.id)).looked_back).toBe(false);
    } finally {
      rows.arrivedSince = arrivedSince;
      slowness.resolve([]);
    }
    await until('the others look back', async () =>
      [await rowOf(broken.id), await rowOf(slow.id)].every((row) => row.looked_back),
    );
  });

  it('looks back once, however many sweeps have it on their lists', async () => {
    const rows = router.get(EventWaitRepository, { strict: false });
    const [arrivedSince, notLookedBack] = [rows.arrivedSince.bind(rows), rows.notLookedBack.bind(rows)];
    const wait = await ask({ event_type: 'none' });
    const old = await rowOf(wait.id);
    const looked: string[] = [];
    let listed = 0;
    rows.arrivedSince = (row, ...rest) => {
      looked.push(row.id);
      return arrivedSince(row, ...rest);
    };
    // A list that was read before another sweep was done with it.
    rows.notLookedBack = async (limit) => {
      listed += 1;
      const known = await notLookedBack(limit);
      return [old, ...known.filter(({ id }) => id !== wait.id)];
    };
    try {
      await until('it has looked back', async () => (await rowOf(wait.id)).looked_back);
      const before = listed;
      await until('each sweep has had it again', () => listed >= before + 10);
      expect(looked.filter((id) => id === wait.id)).toHaveLength(1);
    } finally {
      Object.assign(rows, { arrivedSince, notLookedBack });
    }
  });

  it('ends when its time is over, and no event counts after that', async () => {
    const wait = await ask({ until: new Date(Date.now() - 1_000).toISOString() });
    await isReported(wait.id);
    await receive();
    expect(await wait.repeat()).toEqual({ state: 'timed_out', event: null });
  });

  it('is reported until it is heard', async () => {
    const wait = await ask();
    hears = ['busy', 'busy'];
    await receive();
    expect(await isReported(wait.id)).toHaveLength(3);
  });

  it('is listed, and ended by a person once', async () => {
    const wait = await ask({ where: 'metadata.order == 7' });
    const { body: page } = await world.call<EventWaitPage>('GET', 'event-waits?state=open');
    expect(page.data).toMatchObject([{ id: wait.id, state: 'waiting', where: 'metadata.order == 7', step: 'paid' }]);
    const as = { path: `event-waits/${wait.id}/cancel` };
    expect(await world.call('POST', as.path)).toMatchObject({ status: 200, body: { state: 'cancelled' } });
    expect(await world.call('POST', as.path)).toMatchObject({ status: 409, body: { code: 'wait_ended' } });
    await isReported(wait.id);
    expect((await world.call<EventWaitPage>('GET', 'event-waits?state=open')).body.data).toEqual([]);
    expect((await world.call<EventWaitPage>('GET', `event-waits?run_id=${wait.body.run_id}`)).body.data).toHaveLength(
      1,
    );
    expect(await receive()).toMatchObject({ outcome: 'no_match' });
  });

  it('of another project is neither shown, nor ended, nor continued', async () => {
    const wait = await ask({ app_id: null });
    const others = { organizationId: caller.organizationId, projectId: newId('prj') };
    expect((await world.call<EventWaitPage>('GET', 'event-waits', undefined, others)).body.data).toEqual([]);
    expect(await world.call('POST', `event-waits/${wait.id}/cancel`, {}, others)).toMatchObject({ status: 404 });
    await receive({}, appId, { project_id: others.projectId });
    expect((await wait.repeat()).state).toBe('waiting');
  });

  it('is refused where too many wait, where its condition reads too much, or is none', async () => {
    const given = { run: { event: {}, metadata: { text: 'x'.repeat(20_000) } }, steps: {} };
    expect(await put(newId('wai'), asked({ where: 'run.metadata.text == "x"', given }))).toMatchObject({
      status: 422,
      body: { code: 'wait_reads_too_much' },
    });
    expect(await put(newId('wai'), asked({ where: '1 +' }))).toMatchObject({
      status: 422,
      body: { code: 'invalid_condition' },
    });
    const first = await ask();
    for (let number = 1; number < 20; number += 1) await ask();
    expect(await put(newId('wai'), asked())).toMatchObject({ status: 409, body: { code: 'too_many_event_waits' } });
    expect((await first.repeat()).state).toBe('waiting');
  });
});
