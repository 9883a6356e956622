import { testDatabaseUrl, testPasswords } from '#libs/testing';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../scripts/launcher/project.mjs';
import { runStep } from '../../scripts/launcher/setup-step.mjs';

describe('a job that prepares the database', () => {
  const roles = 'libs/database/src/prepare-roles.js';
  const migrate = 'libs/database/src/migrate-all.js';
  const away = 'postgres://a:a-secret@127.0.0.1:9/c';
  const nobody = Object.assign(new URL(testDatabaseUrl()), { username: 'nobody', password: 'a-secret' }).href;
  const passwords = JSON.stringify({ owner: 'a-secret' });
  const allPasswords = JSON.stringify(testPasswords);

  it.each([
    [roles, {}, 'settings.refused', /DATABASE_ADMIN_URL is not set/],
    [roles, { DATABASE_ADMIN_URL: nobody }, 'settings.refused', /GATEHOUSE_DATABASE_PASSWORDS is not set/],
    [
      roles,
      { DATABASE_ADMIN_URL: nobody, GATEHOUSE_DATABASE_PASSWORDS: 'a-secret' },
      'settings.refused',
      /GATEHOUSE_DATABASE_PASSWORDS is not valid JSON/,
    ],
    [
      roles,
      { GATEHOUSE_NOT_IN_SETTINGS: 'PORT LOG_LEVEL', LOG_LEVEL: 'info' },
      'settings.refused',
      /settings.env sets LOG_LEVEL/,
    ],
    [
      roles,
      { DATABASE_ADMIN_URL: nobody, GATEHOUSE_DATABASE_PASSWORDS: passwords },
      'database.refused',
      /No password is given for gatehouse_/,
    ],
    [
      roles,
      { DATABASE_ADMIN_URL: nobody, GATEHOUSE_DATABASE_PASSWORDS: allPasswords },
      'database.refused',
      /DATABASE_ADMIN_URL: Postgres lets nobody in by it: .*nobody.*rotate-keys/,
    ],
    [
      roles,
      { DATABASE_ADMIN_URL: away, GATEHOUSE_DATABASE_PASSWORDS: allPasswords },
      'database.refused',
      /DATABASE_ADMIN_URL: .*ECONNREFUSED.*Check that Postgres runs/,
    ],
    [migrate, {}, 'settings.refused', /DATABASE_URL is not set/],
    [migrate, { DATABASE_URL: nobody }, 'database.refused', /DATABASE_URL: .*nobody.*rotate-keys/],
    [migrate, { DATABASE_URL: away }, 'database.refused', /DATABASE_URL: .*ECONNREFUSED.*Check that Postgres runs/],
  ])('%s, case %#, is refused in one line of the log', (program, settings, event, reason) => {
    // As a container runs it.
    const preload = ['--import', join(root, 'dist/libs/service-kit/src/boot-signals.js')];
    const { status, stdout, stderr } = spawnSync(process.execPath, [...preload, join(root, 'dist', program)], {
      cwd: root,
      encoding: 'utf8',
      timeout: 60_000,
      env: { PATH: process.env['PATH'], ...settings },
    });
    const lines = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { stack?: string });
    expect([status, stderr, lines.length]).toEqual([78, '', 1]);
    const service = program === roles ? 'database-roles' : 'migrate';
    expect(lines[0]).toMatchObject({ level: 60, service, event, msg: expect.stringMatching(reason) });
    expect(lines[0]?.stack).toBeUndefined();
    expect(JSON.stringify(lines)).not.toContain('a-secret');
  });

  it('is named by npm start, which runs it as a step', async () => {
    const env = { DATABASE_URL: away };
    await expect(runStep(join('dist', migrate), env, AbortSignal.timeout(60_000))).rejects.toThrow(
      /^DATABASE_URL: .*ECONNREFUSED/,
    );
  });
});
