import { freePort, until } from '#libs/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSmallSystem, type System } from '../system/system.js';
import { openFakeAdapter } from '../system/fake-adapter.js';
import { post } from '../system/webhook.js';
import { type Ended, gatehouse } from './gatehouse.js';

let system: System;
let elsewhere: string;

beforeAll(async () => {
  system = await startSmallSystem();
  // In a folder without an installation of npm start.
  elsewhere = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'));
});
afterAll(async () => {
  await system?.stop();
  rmSync(elsewhere, { recursive: true, force: true });
});

const run = (...args: string[]): Promise<Ended> =>
  gatehouse(args, { GATEHOUSE_URL: system.origin('portal'), GATEHOUSE_API_KEY: system.apiKey }, elsewhere);
const jsonOf = async <T>(...args: string[]): Promise<T> => {
  const { code, out, err } = await run(...args, '--json');
  if (code !== 0) throw new Error(`gatehouse ${args.join(' ')} ended with ${code}: ${err}`);
  return JSON.parse(out) as T;
};

describe('gatehouse', () => {
  it('status: shows what was received, what waits and what needs attention', async () => {
    const { id } = await post(system.webhookUrl, { task: 'Say hello' });
    await system.ended(id);
    const { code, out } = await run('status');
    expect(code).toBe(0);
    expect(out).toContain(`Gatehouse at ${system.origin('portal')}`);
    expect(out).toMatch(/Last hour: 1 received; ended: routed 1;/);
    expect(out).toMatch(/^turns +engine +0 /m);
    const status = await jsonOf<{ queues: object[]; attention: object[] }>('status');
    expect(status.queues.length).toBeGreaterThan(5);
  });

  it('events: finds one by its text, and shows its timeline', async () => {
    const { id } = await post(system.webhookUrl, { task: 'Where is the \u001b[31mparcel?' });
    await system.ended(id);
    const { out } = await run('events', '--text', 'parcel', '--since', '1h');
    expect(out).toMatch(new RegExp(`^\\S+ +${id} +no_reply +No reply was sent\\.`, 'm'));
    expect(out).not.toContain('\u001b');
    const shown = await run('events', 'show', id);
    expect(shown.out).toMatch(/ router +routed +routed /);
    expect((await jsonOf<{ data: { id: string }[] }>('events', '--limit', '1')).data).toHaveLength(1);
  });

  it('agents: lists versions, shows what differs, and promotes', async () => {
    const made = { name: 'Desk', instructions: 'one' };
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/agents', made);
    await system.api('POST', `/api/v1/agents/${id}/versions`, { instructions: 'two\nlines', note: 'longer' });
    const { out } = await run('agents', 'versions', id);
    expect(out).toMatch(/^2 +draft .*instructions +longer$/m);
    expect(out).toMatch(/^1 +in_force /m);
    expect(await run('agents', 'diff', id, '2')).toMatchObject({
      code: 1,
      out: 'instructions\n- one\n+ two\n+ lines\n',
    });
    expect(await run('agents', 'diff', id, '2', '--with', '2')).toMatchObject({ code: 0, out: '' });
    expect(await run('agents', 'promote', id, '2', '--note', 'clear')).toMatchObject({
      code: 0,
      out: 'Desk: version 2 is in force\n',
    });
    expect(await jsonOf('agents', 'versions', id)).toMatchObject({ data: [{ state: 'in_force', note: 'clear' }, {}] });
    expect((await run('agents', 'promote', id, '9')).code).toBe(3);
  });

  it('replay: replays one event, and everything that a filter finds', async () => {
    const workflow = { name: 'w', instructions: 'reply: done' };
    const { id: workflow_id } = await system.api<{ id: number }>('POST', '/api/v1/workflows', workflow);
    const { id } = await post(system.webhookUrl, { task: 'Replay me', workflow_id });
    await system.ended(id);
    const { run_ids: runs } = await jsonOf<{ run_ids: string[] }>('replay', id);
    expect(runs).toHaveLength(1);
    await until('the run exists', async () => system.api('GET', `/api/v1/runs/${runs[0]}`).catch(() => null));
    const batch = await jsonOf<{ state: string; total: number; done: number }>(
      'replay',
      '--all',
      '--text',
      'Replay me',
    );
    expect(batch).toMatchObject({ state: 'finished', total: 1, done: 1 });
  });

  it('dead-letters: lists, shows, and redrives them once their cause is gone', async () => {
    const adapter = await openFakeAdapter('broken', { verification: 'none' });
    const { id: adapter_id } = await system.api<{ id: string }>('POST', '/api/v1/adapters', { url: adapter.url });
    const app = await system.api<{ id: string; webhook_url: string }>('POST', '/api/v1/apps', {
      name: 'Broken',
      kind: 'adapter',
      adapter_id,
    });
    const parsed = { event_type: 'note', sender: 'ada', message: 'hello', is_bot: false };
    adapter.parsed = JSON.stringify({ ...parsed, is_bot: 'no' });
    const sent = await until('the ingress accepts it', async () => {
      const answer = await post(app.webhook_url, { text: 'x' });
      return answer.status === 200 ? answer : null;
    });
    await system.ended(sent.id);
    const [letter] = (await jsonOf<{ data: { id: string; receipt_id: string }[] }>('dead-letters', '--app', app.id))
      .data;
    expect(letter?.receipt_id).toBe(sent.id);
    expect((await run('dead-letters', 'show', letter?.id ?? '')).out).toContain('contract_violation');
    adapter.parsed = JSON.stringify(parsed);
    expect(await jsonOf('dead-letters', 'redrive', letter?.id ?? '')).toMatchObject({ state: 'redriven' });
    expect(await jsonOf('dead-letters', 'redrive', '--all', '--app', app.id)).toMatchObject({ total: 0, became: [] });
    await adapter.close();
  });

  it('missed: lists what was refused, and names the event that the same delivery became', async () => {
    const send = (body: object) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': 'delivery-7' };
      return fetch(system.webhookUrl, { method: 'POST', headers, body: JSON.stringify(body) });
    };
    expect((await send({ task: 'Hello', workflow_id: 999_999 })).ok).toBe(false);
    type Page = { data: { delivery_id: string; event_id: string | null }[] };
    const refused = async (returned: string) => {
      const { data } = await jsonOf<Page>('missed', '--returned', returned);
      return data.find(({ delivery_id: id }) => id === 'delivery-7') ?? null;
    };
    await until('it is listed', () => refused('false'));
    expect((await run('missed')).out).toMatch(/delivery-7 +1 +no/);
    const { id } = (await (await send({ task: 'Hello' })).json()) as { id: string };
    expect((await until('it came back', () => refused('true'))).event_id).toBe(id);
    expect((await run('missed')).out).toContain(id);
  });

  it('apikey: creates a key that may do what it should, and revokes it', async () => {
    const made = await run('apikey', 'create', 'for CI', 'events:read');
    expect(made.out).toMatch(/^gh_\S+\n$/);
    const limited = { GATEHOUSE_URL: system.origin('portal'), GATEHOUSE_API_KEY: made.out.trim() };
    expect((await gatehouse(['events'], limited, elsewhere)).code).toBe(0);
    const refused = await gatehouse(['apikey'], limited, elsewhere);
    expect(refused.code).toBe(3);
    expect(refused.err).toContain('keys:read');
    const { data } = await jsonOf<{ data: { id: string; name: string }[] }>('apikey');
    const id = data.find(({ name }) => name === 'for CI')?.id ?? '';
    expect((await run('apikey', 'revoke', id)).code).toBe(0);
    await until('it no longer works', async () => (await gatehouse(['events'], limited, elsewhere)).code === 3);
  });

  it('adapter check: checks a running adapter', async () => {
    const { code, out } = await run('adapter', 'check', `${system.origin('adapters')}/generic`);
    expect([0, 1]).toContain(code);
    expect(out).toMatch(/^generic .* at http/);
    expect((await run('adapter', 'check', 'nowhere')).code).toBe(2);
  });

  it('operations: shows state and metrics of the service at OPERATIONS_PORT', async () => {
    const [, port = ''] = /"operations\.started","url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(system.logs()) ?? [];
    const env = { OPERATIONS_PORT: port };
    const { code, out } = await gatehouse(['operations', '--json'], env, elsewhere);
    expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ status: 'ok' })]);
    expect((await gatehouse(['operations', '--metrics'], env, elsewhere)).out).toMatch(/^process_cpu_seconds_total\{/m);
    const away = await gatehouse(['operations'], { OPERATIONS_PORT: String(await freePort()) }, elsewhere);
    expect(away).toMatchObject({ code: 4, err: expect.stringMatching(/ECONNREFUSED[^]*OPERATIONS_PORT/) });
  });

  it('says what went wrong, where, and what to do', async () => {
    expect(await run('events', 'show', 'evt_0')).toMatchObject({
      code: 3,
      err: expect.stringMatching(/where.*404.*\n.*to do/),
    });
    expect((await run('evnts')).code).toBe(2);
    expect((await run('events', '--since', 'yesterday')).err).toContain('30m, 2h or 7d');
    expect((await run('events', '--nonsense')).code).toBe(2);
    expect((await run('replay')).code).toBe(2);
    const alone = await gatehouse(['status'], {}, elsewhere);
    expect(alone).toMatchObject({ code: 2, err: expect.stringContaining('GATEHOUSE_URL') });
    const away = await gatehouse(
      ['status', '--json'],
      { GATEHOUSE_URL: 'http://127.0.0.1:9', GATEHOUSE_API_KEY: 'x' },
      elsewhere,
    );
    expect(away.code).toBe(4);
    expect(JSON.parse(away.err)).toMatchObject({
      error: { code: 'no_answer', to_do: expect.stringContaining('doctor') },
    });
    const wrong = await gatehouse(
      ['status'],
      { GATEHOUSE_URL: system.origin('portal'), GATEHOUSE_API_KEY: 'gh_no' },
      elsewhere,
    );
    expect(wrong).toMatchObject({ code: 3, err: expect.stringContaining('GATEHOUSE_API_KEY') });
  });
});
