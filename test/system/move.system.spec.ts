import { everyEntry } from '#libs/journal';
import { testPool, until } from '#libs/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type pg from 'pg';
import { root } from '../../scripts/launcher/project.mjs';
import { type Ended, gatehouse } from '../cli/gatehouse.js';
import { type InstalledApp, openApi } from './api.js';
import { rises } from './metrics.js';
import { openSink, type Sink } from './sink.js';
import { steadySender, type SteadySender } from './steady-sender.js';
import { hostable, startSystem, type System } from './system.js';
import { hmac, post } from './webhook.js';

interface Move {
  state: string;
  closed: boolean;
  tables: { table: string; rows: number }[];
  handing_on: { waiting: number; last_received_at: string | null } | null;
}

/** Each has a process of its own, and is killed. */
const killed = ['webhook-ingress', 'router', 'credential-vault', 'portal'];
const hosted = hostable.filter((name) => !killed.includes(name));
/** Leases short enough that a killed process's work is taken over soon. */
const leases = {
  RECEIPT_LEASE_MS: '2000',
  DELIVERY_LEASE_MS: '3000',
  TURN_LEASE_MS: '4000',
  SWEEP_EVERY_MS: '1000',
  SWEEP_AFTER_MS: '2000',
};
const perSecond = 30;
/** A schedule starts each minute, and a delivery that was refused some times waits longer. */
const patientMs = 180_000;
const secret = 'a secret that signs webhooks, of sufficient length';

describe('gatehouse move, while webhooks keep coming', () => {
  let here: System;
  let there: System;
  let pools: { here: pg.Pool; there: pg.Pool };
  let sink: Sink;
  let sender: SteadySender;
  let project: string;
  let organization: string;
  let event: string;
  let path: string;
  /** MOVE_ACCEPTS of the other installation, as the check says it. */
  let accepts: string;
  /** Of another project: those of the one that moves are refused from the beginning. */
  let adminKey: string;

  /** Whether the receiver of the App's replies takes them. */
  let isTaken = false;
  const lateReplies = () => sink.arrivals.filter(({ path: at }) => at === '/late');

  const env = (): Record<string, string> => ({
    GATEHOUSE_URL: here.origin('portal'),
    GATEHOUSE_API_KEY: adminKey,
    GATEHOUSE_TARGET_API_KEY: there.apiKey,
  });
  const run = (...args: string[]): Promise<Ended> => gatehouse(args, env(), here.dataDir);
  const to = (): string[] => [project, '--to', there.origin('portal')];
  const stateAt = async (origin: string, key: string): Promise<Partial<Move> & { status: number }> => {
    const answer = await fetch(`${origin}/api/v1/moves/${project}`, { headers: { authorization: `Bearer ${key}` } });
    return { ...((await answer.json()) as Move), status: answer.status };
  };
  const reopen = (): Promise<Response> =>
    fetch(`${here.origin('portal')}/api/v1/projects/${project}/reopen`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}` },
    });
  const here_ = () => stateAt(here.origin('portal'), adminKey);
  const there_ = () => stateAt(there.origin('portal'), there.apiKey);
  /** With the key that the project had before it moved. */
  const movedApi = () => openApi(there.origin('portal'), here.apiKey, () => there.logs());
  const send = (origin: string, number: number) => {
    const body = JSON.stringify({ task: `message ${number}`, thread_id: `thread ${number % 40}` });
    return post(`${origin}${path}`, body, {
      'idempotency-key': `message-${number}`,
      'x-signature-256': hmac(secret, body),
    });
  };
  const started = (...args: string[]): ChildProcess =>
    spawn(process.execPath, [join(root, 'dist/apps/cli/src/gatehouse.js'), ...args], {
      env: { PATH: process.env.PATH, ...env() },
      cwd: here.dataDir,
    });
  /** Starts the move until it has ended, as whoever looks after it would. */
  const moved = async (): Promise<Ended> => {
    for (;;) {
      const ended = await run('move', ...to());
      if (ended.code === 0) return ended;
      expect([1, 4]).toContain(ended.code);
    }
  };

  beforeAll(async () => {
    sink = await openSink();
    there = await startSystem(leases, { hosted, linked: false });
    const { thumbprint } = await there.api<{ thumbprint: string }>('GET', '/api/v1/moves/key');
    here = await startSystem({ ...leases, MOVE_TARGET_KEYS: thumbprint }, { hosted, linked: false });
    pools = { here: testPool(here.databaseUrl), there: testPool(there.databaseUrl) };
    organization = (await here.api<{ id: string }>('GET', '/api/v1/organizations/current')).id;
    const { data } = await here.api<{ data: { id: string }[] }>('GET', '/api/v1/projects');
    project = data[0]?.id ?? '';
    const other = await here.api<{ id: string }>('POST', '/api/v1/projects', { name: 'Stays' });
    const made = { name: 'mover', scopes: ['admin'] };
    const asOther = { 'x-project-id': other.id };
    adminKey = (await here.api<{ key: string }>('POST', '/api/v1/api-keys', made, asOther)).key;
    event = (await post(here.webhookUrl, { task: 'Before the move' })).id;
    await here.ended(event);
    const credential_id = await here.credential({ signing_secret: secret });
    const app = { name: 'signed', kind: 'builtin', credential_id, signature: { scheme: 'hmac' } };
    const signed = await here.api<InstalledApp>('POST', '/api/v1/apps', app);
    path = signed.webhook_path;
    await here.api('PUT', `/api/v1/channels/${signed.id}`, { reply_address: sink.url });
    const late = await here.api<InstalledApp>('POST', '/api/v1/apps', { name: 'late', kind: 'builtin' });
    await here.api('PUT', `/api/v1/channels/${late.id}`, { reply_address: `${sink.url}/late` });
    sink.answer = ({ path: at }) => ({ status: at === '/late' && !isTaken ? 503 : 200 });
    await until(
      'its webhook is known',
      async () =>
        (await post(`${here.origin('webhook-ingress')}${late.webhook_path}`, { task: 'Late' })).status === 200,
    );
    await until('its reply is tried', () => lateReplies().length > 0);
    const workflow = { name: 'timed', instructions: 'reply: on time' };
    const { id: workflow_id } = await here.api<{ id: number }>('POST', '/api/v1/workflows', workflow);
    const timed = {
      name: 'each minute',
      cron: '* * * * *',
      workflow_id,
      overlap: 'allow',
      catch_up: 'all',
      late_after_s: 3_600,
    };
    await here.api('POST', '/api/v1/schedules', timed);
    sender = steadySender(perSecond, (number) => send(here.origin('webhook-ingress'), number));
  });
  afterAll(async () => {
    await sender?.stop();
    await pools?.here.end();
    await pools?.there.end();
    await here?.stop();
    await there?.stop();
    await sink?.close();
  });

  it('--check says what would move, what stays and what has to be set, and changes nothing', async () => {
    const { code, out } = await run('move', ...to(), '--check');
    expect(out).toMatch(/^router\.message +\d+$/m);
    expect(out).toMatch(/^portal\.member +members of the organization: invite them there$/m);
    const { key_id: keyId } = await there.api<{ key_id: string }>('GET', '/api/v1/moves/key');
    accepts = `${organization}=${keyId}`;
    expect(out).toContain(
      `The other installation does not accept ${organization}: MOVE_ACCEPTS=${accepts} (of its portal)`,
    );
    expect(code).toBe(1);
    expect(await here_()).toMatchObject({ state: 'here', closed: false });
  });

  it('an installation takes no project of an organization that its settings do not name', async () => {
    const { code, err } = await run('move', ...to());
    expect(err).toContain('MOVE_ACCEPTS');
    expect(code).toBe(3);
    expect(await here_()).toMatchObject({ state: 'here', closed: false });
    await there.drain('portal');
    await there.restart('portal', { MOVE_ACCEPTS: accepts });
  });

  it('a move that was killed is aborted: there is nothing there, and what came meanwhile is handled here', async () => {
    const child = started('move', ...to());
    await until('rows arrive', async () => ((await there_()).state === 'arriving' ? true : null));
    child.kill('SIGKILL');
    expect(await here_()).toMatchObject({ state: 'leaving', closed: true });
    const elsewhere = there.origin('portal').replace('127.0.0.1', 'localhost');
    for (const command of [['move'], ['move', 'abort']]) {
      const { code, err } = await run(...command, project, '--to', elsewhere);
      expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining(`not ${elsewhere}`) });
    }
    expect((await reopen()).status).toBe(409);
    const sent = sender.acknowledged.length;
    await until('webhooks are taken meanwhile', () => sender.acknowledged.length > sent + 10);
    expect((await run('move', 'abort', ...to())).err).toBe('');
    expect((await there_()).status).toBe(404);
    expect(await here_()).toMatchObject({ state: 'here', closed: false });
    for (const id of sender.acknowledged.slice(sent, sent + 5)) {
      expect(await here.ended(id)).toMatchObject({ outcome: 'routed' });
    }
  });

  it('each process of both sides is killed meanwhile: started again, the move goes on to its end', async () => {
    const ended = moved();
    for (const side of [here, there]) {
      for (const service of killed) {
        await side.kill(service);
        await side.restart(service);
      }
    }
    expect((await ended).out).toContain(`${project} is open at ${there.origin('portal')}`);
    expect(await here_()).toMatchObject({ state: 'left', closed: true });
    expect(await there_()).toMatchObject({ state: 'here', closed: false });
    expect((await run('move', ...to())).code).toBe(0);
  });

  it('there, its key and its events work, and here it is neither reopened nor brought back', async () => {
    const detail = await movedApi().ended(event);
    expect(detail.messages[0]?.message.message).toContain('Before the move');
    expect((await run('move', 'abort', ...to())).err).toContain('has left');
    expect((await reopen()).status).toBe(409);
  });

  it('what waited goes on there and not here: a delivery under its key, and each tick of a schedule once', async () => {
    const tries = lateReplies().length;
    isTaken = true;
    await until('the reply is taken', () => lateReplies().length > tries, patientMs);
    expect(new Set(lateReplies().map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    // What had begun when it was held has ended within these seconds.
    const held = `(SELECT held_at + interval '10 seconds' FROM journal.project_hold)`;
    const { rows } = await pools.here.query(`SELECT id FROM router.schedule_tick WHERE started_at > ${held}`);
    expect(rows).toEqual([]);
    const ticks = `SELECT at FROM router.schedule_tick WHERE started_at > $1`;
    const since = new Date();
    const started = async () => (await pools.there.query(ticks, [since])).rows.length > 0;
    await until('a tick starts there', started, patientMs);
  });

  it('webhooks that still come here are handed on, also when the other installation was away', async () => {
    const before = sender.acknowledged.length;
    await there.kill('portal');
    await until('webhooks are taken meanwhile', () => sender.acknowledged.length > before + 3 * perSecond);
    await rises(here, 'portal', 'gatehouse_hand_on_oldest_seconds', {}, 1);
    expect((await here_()).handing_on?.waiting).toBeGreaterThan(0);
    await there.restart('portal');
    await sender.stop();
    await until('all are handed on', async () => (await here_()).handing_on?.waiting === 0);
  });

  it('none was refused, and each was done and answered once, on one of the two sides', async () => {
    expect(sender.refused).toEqual([]);
    const ids = sender.acknowledged;
    expect(new Set(ids).size).toBe(ids.length);
    const keysOf = Map.groupBy(sink.arrivals, ({ json }) => json['in_reply_to']);
    const unanswered = () => {
      const answered = new Set(sink.arrivals.map(({ json }) => json['in_reply_to']));
      return ids.filter((id) => !answered.has(id));
    };
    await until('every message was replied to', () => unanswered().length === 0).catch((error: unknown) => {
      throw new Error(`${unanswered().length} of ${ids.length}: ${unanswered().slice(0, 5).join(', ')}`, {
        cause: error,
      });
    });
    const twice = [...keysOf].filter(
      ([, all]) => new Set(all.map(({ headers }) => headers['idempotency-key'])).size > 1,
    );
    expect(twice.map(([id]) => id)).toEqual([]);
    const routed = `SELECT receipt_id AS id FROM router.message WHERE receipt_id = ANY($1)`;
    const handedOn = `SELECT DISTINCT receipt_id AS id FROM ${everyEntry} e WHERE outcome = 'handed_on' AND receipt_id = ANY($1)`;
    const found = async (pool: pg.Pool, sql: string): Promise<string[]> =>
      (await pool.query<{ id: string }>(sql, [ids])).rows.map(({ id }) => id);
    const [byHere, handed, byThere] = [
      await found(pools.here, routed),
      await found(pools.here, handedOn),
      await found(pools.there, routed),
    ];
    // What was done here before was copied.
    expect(byThere.toSorted()).toEqual(ids.toSorted());
    expect(byHere.filter((id) => handed.includes(id))).toEqual([]);
    expect([...byHere, ...handed].toSorted()).toEqual(ids.toSorted());
  });

  it('ended, webhooks answer 410 here, each that was taken until then is done, and there they work as before', async () => {
    // Some still send: what is taken until it is refused has to be done all the same.
    let number = 1_000_000;
    const last = steadySender(perSecond, () => send(here.origin('webhook-ingress'), (number += 1)));
    await until('they are taken', () => last.acknowledged.length > 3);
    const ended = run('move', 'end', ...to());
    await until('the ingress here refuses them', () => last.refused.some(({ status }) => status === 410));
    last.giveUp();
    await last.stop();
    expect((await ended).code).toBe(0);
    expect(last.refused.every(({ status }) => status === 410)).toBe(true);
    for (const id of last.acknowledged) expect(await movedApi().ended(id)).toMatchObject({ outcome: 'routed' });
    const { status, id } = await send(there.origin('webhook-ingress'), -2);
    expect(status).toBe(200);
    expect(await movedApi().ended(id)).toMatchObject({ outcome: 'routed' });
  });
});
