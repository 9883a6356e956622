import { testDatabase, testRedisUrl, testServiceKey, type TestDatabase } from '#libs/testing';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../scripts/launcher/project.mjs';

const entry = (path: string): string => join(root, 'dist', path);
const preload = ['--import', entry('libs/service-kit/src/boot-signals.js')];

interface Line {
  level: number;
  service: string;
  event: string;
  msg: string;
  stack?: string;
}

describe('a process that only checks its settings', () => {
  let database: TestDatabase;
  beforeAll(async () => void (database = await testDatabase()));
  afterAll(() => database.drop());

  /** Runs it as an image does. */
  const run = (program: string, settings: NodeJS.Dict<string> = {}, ...args: string[]) => {
    const urls = ['INGRESS_URL', 'GATEWAY_URL', 'ENGINE_URL', 'PUBLIC_URL'];
    const { status, stdout, stderr } = spawnSync(process.execPath, [...preload, entry(program), ...args], {
      cwd: root,
      encoding: 'utf8',
      timeout: 60_000,
      env: {
        PATH: process.env['PATH'],
        APP: 'router',
        ...Object.fromEntries(urls.map((name) => [name, 'http://127.0.0.1:9'])),
        DATABASE_URL: database.urlOf('router'),
        REDIS_URL: testRedisUrl(),
        GATEHOUSE_SERVICE_KEY: JSON.stringify(testServiceKey),
        ...settings,
      },
    });
    const lines = stdout.split('\n').filter(Boolean);
    return { status, stderr, lines: lines.map((line) => JSON.parse(line) as Line) };
  };
  const router = (settings: NodeJS.Dict<string>, how: string) => run('apps/router/src/main.js', settings, how);
  const withUser = (url: string, username: string, password: string): string =>
    Object.assign(new URL(url), { username, password }).href;

  it('says that they are right, and serves nothing', () => {
    for (const how of ['--check', '--check=stores']) {
      const { status, lines, stderr } = router({}, how);
      expect([status, stderr]).toEqual([0, '']);
      expect(lines).toEqual([expect.objectContaining({ service: 'router', event: 'settings.checked' })]);
    }
  });

  it('names each setting that is wrong in one line of the log, without a stack', () => {
    const { status, lines, stderr } = router({ DATABASE_POOL: 'abc', REDIS_URL: 'not a URL' }, '--check');
    expect([status, stderr, lines.length]).toEqual([1, '', 1]);
    expect(lines[0]).toMatchObject({ level: 60, service: 'router', event: 'settings.refused' });
    expect(lines[0]?.msg).toMatch(/REDIS_URL is not a URL[^]*DATABASE_POOL is "abc": give a whole number/);
    expect(lines[0]?.stack).toBeUndefined();
  });

  it('names the store that lets nobody in, without the password', () => {
    const refused = router({ DATABASE_URL: withUser(database.url, 'nobody', 'a-secret') }, '--check=stores');
    expect([refused.status, refused.lines[0]?.event]).toEqual([1, 'settings.refused']);
    expect(refused.lines[0]?.msg).toMatch(/DATABASE_URL: Postgres lets nobody in by it: .*nobody/);
    const silent = router({ REDIS_URL: withUser(testRedisUrl(), 'nobody', 'a-secret') }, '--check=stores');
    expect([silent.status, silent.lines[0]?.event]).toEqual([1, 'settings.refused']);
    expect(silent.lines[0]?.msg).toMatch(/REDIS_URL: Redis lets nobody in by it: .*WRONGPASS/);
    const away = router(
      { DATABASE_URL: 'postgres://a:a-secret@127.0.0.1:9/c', REDIS_URL: 'redis://:a-secret@127.0.0.1:9' },
      '--check=stores',
    );
    expect(away.lines[0]?.msg).toMatch(/Postgres lets nobody in by it: .*ECONNREFUSED[^]*Redis .*ECONNREFUSED/);
    expect(JSON.stringify([refused, silent, away])).not.toContain('a-secret');
  });

  it('is each service: the shipped adapters and several in one process too', () => {
    const adapters = 'apps/adapters/src/main.js';
    expect(run(adapters, {}, '--check').lines).toEqual([expect.objectContaining({ event: 'settings.checked' })]);
    const wrong = run(adapters, { TRACES_PERCENT: '101' }, '--check');
    expect([wrong.status, wrong.lines[0]?.event]).toEqual([1, 'settings.refused']);
    const host = (settings: NodeJS.Dict<string>) =>
      run('apps/host/src/main.js', { GATEHOUSE_SERVICES: 'router', ...settings }, '--check=stores');
    expect(host({})).toMatchObject({ status: 0, lines: [{ service: 'router', event: 'settings.checked' }] });
    const refused = host({ ROUTER_REDIS_URL: 'redis://127.0.0.1:9' });
    expect([refused.status, refused.lines.at(-1)?.msg]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
  });

  it('ends in one line with a stack where the fault is no setting', () => {
    // A role that may log in and not migrate.
    const { status, lines, stderr } = run('libs/database/src/migrate-all.js');
    expect([status, stderr, lines.length]).toEqual([1, '', 1]);
    expect(lines[0]).toMatchObject({ level: 60, event: 'process.failed', stack: expect.any(String) });
    expect(lines[0]?.msg).toContain('permission denied');
  });
});
