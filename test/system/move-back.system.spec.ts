import { testPool, until } from '#libs/testing';
import type pg from 'pg';
import { type Ended, gatehouse } from '../cli/gatehouse.js';
import { type Api, type InstalledApp, openApi } from './api.js';
import { openSink, type Sink } from './sink.js';
import { steadySender } from './steady-sender.js';
import { hostable, startSystem, type System } from './system.js';
import { hmac, post } from './webhook.js';

/** Those whose settings name the other installation. */
const own = ['portal', 'credential-vault'];
const hosted = hostable.filter((name) => !own.includes(name));
/** What a process had in its hands when it heard of a hold is taken up soon. */
const sweeps = { RECEIPT_LEASE_MS: '2000', SWEEP_EVERY_MS: '1000', SWEEP_AFTER_MS: '2000' };
const secret = 'a secret that signs webhooks, of sufficient length';

describe('a project that moves to another installation, works there, and moves back', () => {
  let here: System;
  let there: System;
  let pools: { here: pg.Pool; there: pg.Pool };
  let sink: Sink;
  let project: string;
  let path: string;
  /** Of another project of the organization, on each side. */
  let keys: { here: string; there: string };
  /** With the project's own key, which goes along. */
  let api: { here: Api; there: Api };
  /** Of the first installation, and sent before the first move. */
  let before: string;
  let approval: string;
  let asked: string;
  let order: string;
  const events: string[] = [];

  const send = async (at: System, body: object, more: Record<string, string> = {}) => {
    const text = JSON.stringify(body);
    return post(`${at.origin('webhook-ingress')}${path}`, text, { 'x-signature-256': hmac(secret, text), ...more });
  };
  const run = (from: 'here' | 'there', ...args: string[]): Promise<Ended> => {
    const [source, target] = from === 'here' ? [here, there] : [there, here];
    const env = {
      GATEHOUSE_URL: source.origin('portal'),
      GATEHOUSE_API_KEY: keys[from],
      // At the second one the key that the check names is of its own organization.
      GATEHOUSE_TARGET_API_KEY: from === 'here' ? there.apiKey : keys.here,
    };
    return gatehouse([...args, project, '--to', target.origin('portal')], env, here.dataDir);
  };
  /** Another project of the organization, and an admin key of it. */
  const keyBeside = async (of: Api): Promise<string> => {
    const { id } = await of.api<{ id: string }>('POST', '/api/v1/projects', { name: 'Stays' });
    const made = { name: 'mover', scopes: ['admin'] };
    return (await of.api<{ key: string }>('POST', '/api/v1/api-keys', made, { 'x-project-id': id })).key;
  };
  /** Each of the two takes projects of this organization from the other one. */
  const agree = async (): Promise<void> => {
    const { id: organization } = await here.api<{ id: string }>('GET', '/api/v1/organizations/current');
    for (const [side, key, other] of [
      [there, there.apiKey, here],
      [here, keys.here, there],
    ] as const) {
      const found = await openApi(side.origin('portal'), key).api<{ thumbprint: string; key_id: string }>(
        'GET',
        '/api/v1/moves/key',
      );
      await other.drain('credential-vault');
      await other.restart('credential-vault', { MOVE_TARGET_KEYS: found.thumbprint });
      await side.drain('portal');
      await side.restart('portal', { MOVE_ACCEPTS: `${organization}=${found.key_id}` });
    }
  };
  const replyTo = (id: string) =>
    until(`a reply to ${id}`, () => (sink.repliesTo(id).length > 0 ? sink.repliesTo(id) : null));

  beforeAll(async () => {
    sink = await openSink();
    [here, there] = await Promise.all([
      startSystem(sweeps, { hosted, linked: false }),
      startSystem(sweeps, { hosted, linked: false }),
    ]);
    pools = { here: testPool(here.databaseUrl), there: testPool(there.databaseUrl) };
    api = { here, there: openApi(there.origin('portal'), here.apiKey, () => there.logs()) };
    const { data } = await here.api<{ data: { id: string }[] }>('GET', '/api/v1/projects');
    project = data[0]?.id ?? '';
    keys = { here: await keyBeside(here), there: '' };
    await agree();

    const { data: made } = await here.api<{ data: { id: string }[] }>('GET', '/api/v1/api-keys?limit=1');
    const buyer = await here.api<{ id: string }>('POST', '/api/v1/agents', {
      name: 'Buyer',
      instructions: `call http_request {"method":"POST","url":"${sink.url}/ordered","body":{"in_reply_to":"nothing"}}\nreply: ordered`,
      tools: ['http_request'],
      may_do: 'read',
      approvers: [`key:${made[0]?.id}`],
    });
    const { id: workflow_id } = await here.api<{ id: number }>('POST', '/api/v1/workflows', {
      name: 'orders',
      instructions: '',
      steps: [
        { name: 'paid', kind: 'wait', where: 'metadata.payload.pays == run.metadata.payload.order', wait_minutes: 60 },
        { name: 'thanks', kind: 'agent', instructions: 'reply: paid' },
      ],
    });
    const app = await here.api<InstalledApp>('POST', '/api/v1/apps', {
      name: 'signed',
      kind: 'builtin',
      credential_id: await here.credential({ signing_secret: secret }),
      signature: { scheme: 'hmac' },
      text_from: 'system',
    });
    path = app.webhook_path;
    await here.api('PUT', `/api/v1/channels/${app.id}`, { reply_address: sink.url });
    await until('its webhook is known', async () => (await send(here, { task: 'Known' })).status === 200);

    before = (await send(here, { task: 'Before' })).id;
    await replyTo(before);
    order = (await send(here, { workflow_id, order: 'o1' })).id;
    await until(
      'the run waits',
      async () => (await pools.here.query('SELECT FROM router.event_wait')).rows.length === 1,
    );
    await here.api('PUT', `/api/v1/channels/${app.id}`, { reply_address: sink.url, agent_id: buyer.id });
    asked = (await send(here, { task: 'Buy it' })).id;
    approval = await until('the call waits for approval', async () => {
      const { data: found } = await here.api<{ data: { id: string }[] }>('GET', '/api/v1/approvals?state=pending');
      return found[0]?.id;
    });
    await here.api('PUT', `/api/v1/channels/${app.id}`, { reply_address: sink.url, agent_id: null });
  });
  afterAll(async () => {
    await pools?.here.end();
    await pools?.there.end();
    await here?.stop();
    await there?.stop();
    await sink?.close();
  });

  it('an approval that is given there has its call made once, and the turn answers once', async () => {
    const { code, err } = await run('here', 'move');
    expect({ code, err }).toMatchObject({ code: 0 });
    await api.there.api('POST', `/api/v1/approvals/${approval}/approve`, {});
    expect(await replyTo(asked)).toMatchObject([{ json: { text: 'ordered' } }]);
    expect(sink.arrivals.filter(({ path: at }) => at === '/ordered')).toHaveLength(1);
    const repeated = api.there.api('POST', `/api/v1/approvals/${approval}/approve`, {});
    await expect(repeated).rejects.toThrow('answered 409');
    const state = `SELECT state FROM engine.approval WHERE id = $1`;
    expect((await pools.here.query(state, [approval])).rows).toEqual([{ state: 'pending' }]);
  });

  it('a run that waits for an event goes on there with it, once, also when the event comes to the first address', async () => {
    const { id } = await send(here, { pays: 'o1' });
    events.push(id);
    expect(await replyTo(order)).toMatchObject([{ json: { text: 'paid' } }]);
    await replyTo(id);
    const waits = 'SELECT state, message_id IS NOT NULL AS "isMet" FROM router.event_wait';
    await until('its engine has heard of it', async () => {
      const { rows } = await pools.there.query(waits);
      return rows.length === 1 && rows[0].state === 'done';
    });
    expect((await pools.here.query(waits)).rows).toEqual([{ state: 'waiting', isMet: false }]);
    const ends = `SELECT outcome FROM journal.entry WHERE receipt_id = $1 AND terminal`;
    expect((await pools.here.query(ends, [id])).rows).toEqual([{ outcome: 'handed_on' }]);
  });

  it('it is not moved back while its webhooks are handed on, and nothing is held there', async () => {
    keys.there = await keyBeside(api.there);
    const { code, err } = await run('there', 'move');
    expect(err).toContain('gatehouse move end');
    expect(code).toBe(3);
    expect((await run('there', 'move', '--check')).out).toContain('gatehouse move end');
    const [held] = (await pools.there.query('SELECT FROM journal.project_hold WHERE project_id = $1', [project])).rows;
    expect(held).toBeUndefined();
    const ended = await run('here', 'move', 'end');
    expect(ended).toMatchObject({ code: 0 });
    expect((await send(here, { task: 'Too early' })).status).toBe(410);
  });

  it('then it is, while its webhooks come, and each of all the events is here, done once and answered once', async () => {
    for (let number = 0; number < 5; number += 1) {
      const { id } = await send(there, { task: `There ${number}` });
      events.push(id);
      await replyTo(id);
    }
    const sender = steadySender(20, (number) => send(there, { task: `On the way ${number}` }));
    const { code, err } = await run('there', 'move');
    expect({ code, err }).toMatchObject({ code: 0 });
    await until('some come after the switch', () => sender.acknowledged.length > 100);
    await sender.stop();
    expect(sender.refused).toEqual([]);
    // Its ingress hears of the switch within a second or two.
    const back = await until('webhooks are taken here', async () => (await send(here, { task: 'Back' })).id || null);
    const all = [before, order, asked, ...events, ...sender.acknowledged, back];
    for (const id of all) {
      await replyTo(id);
      const { outcome, timeline } = await here.ended(id);
      const ends = timeline.filter(({ stage, terminal }) => stage === 'routed' || terminal);
      const received = timeline.filter(({ outcome: is }) => is === 'accepted' || is === 'handed_on');
      expect([id, outcome, ends.map((entry) => entry.outcome), received.map((entry) => entry.outcome)]).toEqual([
        id,
        'routed',
        ['routed'],
        ['accepted'],
      ]);
      expect([id, sink.repliesTo(id).length]).toEqual([id, 1]);
    }
    const doubled = `SELECT receipt_id FROM router.message GROUP BY receipt_id HAVING count(*) > 1`;
    expect((await pools.here.query(doubled)).rows).toEqual([]);
    const { rows } = await pools.here.query('SELECT receipt_id FROM router.message WHERE receipt_id = ANY($1)', [all]);
    expect(rows).toHaveLength(all.length);
  });

  it('it ends there as it ended here, so that it may go once more', async () => {
    expect(await run('there', 'move', 'end')).toMatchObject({ code: 0 });
    expect((await send(there, { task: 'Gone' })).status).toBe(410);
    const status = await api.here.api<{ state: string }>('GET', `/api/v1/moves/${project}`);
    expect(status).toMatchObject({ state: 'here', peer: null });
    expect((await run('here', 'move', '--check')).out).not.toContain('update is on');
  });
});
