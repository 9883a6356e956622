import { until } from '#libs/testing';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../scripts/launcher/project.mjs';
import { type Ended, gatehouse } from '../cli/gatehouse.js';
import { openApi } from './api.js';
import { startSmallSystem, type System } from './system.js';
import { post } from './webhook.js';

interface Move {
  state: string;
  closed: boolean;
  tables: { table: string; rows: number }[];
}

describe('gatehouse move', () => {
  let here: System;
  let there: System;
  let project: string;
  let organization: string;
  let event: string;
  /** MOVE_ACCEPTS of the other installation, as the check says it. */
  let accepts: string;
  /** Of another project: those of the one that moves are refused from the beginning. */
  let adminKey: string;

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

  beforeAll(async () => {
    there = await startSmallSystem();
    const { thumbprint } = await there.api<{ thumbprint: string }>('GET', '/api/v1/moves/key');
    here = await startSmallSystem({ MOVE_TARGET_KEYS: thumbprint });
    organization = (await here.api<{ id: string }>('GET', '/api/v1/organizations/current')).id;
    const { data } = await here.api<{ data: { id: string }[] }>('GET', '/api/v1/projects');
    project = data[0]?.id ?? '';
    const other = await here.api<{ id: string }>('POST', '/api/v1/projects', { name: 'Stays' });
    const made = { name: 'mover', scopes: ['admin'] };
    const asOther = { 'x-project-id': other.id };
    adminKey = (await here.api<{ key: string }>('POST', '/api/v1/api-keys', made, asOther)).key;
    await here.credential({ token: 'kept by the vault' });
    event = (await post(here.webhookUrl, { task: 'Before the move' })).id;
    await here.ended(event);
  });
  afterAll(async () => {
    await here?.stop();
    await there?.stop();
  });

  it('--check says what would move, what stays and what has to be set, and changes nothing', async () => {
    const { code, out } = await run('move', ...to(), '--check');
    expect(out).toMatch(/^router\.message +1$/m);
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

  it('a move that was killed is aborted: there is nothing there, and the project works here as before', async () => {
    const child = spawn(process.execPath, [join(root, 'dist/apps/cli/src/gatehouse.js'), 'move', ...to()], {
      env: { PATH: process.env.PATH, ...env() },
      cwd: here.dataDir,
    });
    await until('rows arrive', async () => ((await there_()).state === 'arriving' ? true : null));
    child.kill('SIGKILL');
    expect(await here_()).toMatchObject({ state: 'leaving', closed: true });
    const elsewhere = there.origin('portal').replace('127.0.0.1', 'localhost');
    for (const command of [['move'], ['move', 'abort']]) {
      const { code, err } = await run(...command, project, '--to', elsewhere);
      expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining(`not ${elsewhere}`) });
    }
    expect((await reopen()).status).toBe(409);
    expect((await run('move', 'abort', ...to())).err).toBe('');
    expect((await there_()).status).toBe(404);
    expect(await here_()).toMatchObject({ state: 'here', closed: true });
    expect((await reopen()).status).toBe(200);
    const later = await until('its webhooks are taken again', async () => {
      const answer = await fetch(here.webhookUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ task: 'After the abort' }),
      });
      return answer.status === 200 ? ((await answer.json()) as { id: string }) : null;
    });
    await here.ended(later.id);
  });

  it('the other installation is killed meanwhile: started again, the move goes on to its end', async () => {
    const first = run('move', ...to());
    await until('rows arrive', async () => ((await there_()).state === 'arriving' ? true : null));
    await there.kill('portal');
    expect((await first).code).toBe(4);
    await there.restart('portal');
    const { code, out, err } = await run('move', ...to());
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`${project} is open at ${there.origin('portal')}`);
    expect(await here_()).toMatchObject({ state: 'left', closed: true });
    expect(await there_()).toMatchObject({ state: 'here', closed: false });
    expect((await run('move', ...to())).code).toBe(0);
  });

  it('there, its key, its events and its webhook work, and here nothing of it does', async () => {
    const moved = movedApi();
    const detail = await moved.ended(event);
    expect(detail.messages[0]?.message.message).toContain('Before the move');
    const later = await until('the ingress there knows its webhook', async () => {
      const answer = await fetch(`${there.origin('portal')}${here.webhookPath}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ task: 'After the move' }),
      });
      return answer.status === 200 ? ((await answer.json()) as { id: string }) : null;
    });
    const { outcome } = await moved.ended(later.id);
    expect(outcome).toBe('routed');
    expect((await fetch(here.webhookUrl, { method: 'POST', body: '{}' })).status).toBe(404);
    expect((await run('move', 'abort', ...to())).err).toContain('has left');
    expect((await reopen()).status).toBe(409);
  });
});
