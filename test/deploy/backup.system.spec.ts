import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/launcher/project.mjs';
import { type Manifest, manifestsOf, read } from './manifests.js';
import { complaint } from './schema.js';

/**
 * What the scripts refuse before they call Postgres's tools, which are not installed everywhere. `npm run test:deploy`
 * backs up and restores.
 */
let dir: string;
const { version } = JSON.parse(read('package.json')) as { version: string };

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'gatehouse-backup-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** @returns its exit status and its output */
function run(
  script: string,
  args: string[],
  env: Record<string, string> = {},
): { status: number | null; output: string } {
  const { status, stderr } = spawnSync('sh', [join(root, 'deploy', script), ...args], {
    cwd: dir,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], DATABASE_URL: 'postgres://nobody@127.0.0.1:9/nothing', ...env },
  });
  return { status, output: stderr.trim() };
}

function backupOf(manifest: string): string {
  const files = { 'database.dump': 'a dump', manifest };
  const sums = Object.entries(files).map(
    ([name, text]) => `${createHash('sha256').update(text).digest('hex')}  ${name}`,
  );
  for (const [name, text] of Object.entries({ ...files, SHA256SUMS: `${sums.join('\n')}\n` }))
    writeFileSync(join(dir, name), text);
  return dir;
}

describe('a restore', () => {
  it('refuses what is not a backup, and one that was modified', () => {
    expect(run('restore.sh', [dir])).toEqual({
      status: 1,
      output: `restore: ${dir} is no backup: it has no manifest and database.dump`,
    });
    backupOf(`gatehouse ${version}\n`);
    writeFileSync(join(dir, 'database.dump'), 'a dumb');
    expect(run('restore.sh', [dir])).toMatchObject({ status: 1, output: expect.stringContaining('is damaged') });
  });

  it('refuses a backup of a newer version', () => {
    const { status, output } = run('restore.sh', [backupOf('gatehouse 99.0.0\n')]);
    expect([status, output]).toEqual([
      1,
      `restore: the backup is of Gatehouse 99.0.0, and this is ${version}: check out 99.0.0 or newer`,
    ]);
  });

  it('refuses while the key ring lacks a key that sealed credentials, in the environment or .env', () => {
    const from = backupOf(`gatehouse ${version}\nkey kek-1\nkey kek-2\n`);
    const ring = (...kids: string[]) =>
      JSON.stringify({ primary: 'kek-1', keys: Object.fromEntries(kids.map((kid) => [kid, 'x'])) });
    const lacks = expect.stringContaining('the key ring lacks kek-2');
    expect(run('restore.sh', [from], { GATEHOUSE_KEK_RING: ring('kek-1') })).toMatchObject({
      status: 1,
      output: lacks,
    });
    writeFileSync(join(dir, '.env'), `GATEHOUSE_KEK_RING='${ring('kek-1')}'\n`);
    expect(run('restore.sh', [from])).toMatchObject({ status: 1, output: lacks });
    writeFileSync(join(dir, '.env'), `GATEHOUSE_KEK_RING='${ring('kek-1', 'kek-2')}'\n`);
    expect(run('restore.sh', [from]).output).not.toContain('key ring');
  });
});

describe('a backup', () => {
  it('refuses to put the keys beside the dump', () => {
    writeFileSync(join(dir, '.env'), 'GATEHOUSE_KEK_RING=\n');
    mkdirSync(join(dir, 'backups', 'keys'), { recursive: true });
    expect(run('backup.sh', ['backups', '--keys', 'backups/keys/env'])).toMatchObject({
      status: 1,
      output: expect.stringContaining('keys belong apart'),
    });
  });

  it('leaves nothing behind that could pass for one when it fails', () => {
    expect(run('backup.sh', ['backups']).status).not.toBe(0);
    expect(readdirSync(join(dir, 'backups'))).toEqual([]);
  });
});

describe('the component backup', () => {
  const objects: Manifest[] = manifestsOf(read('k8s/components/backup/backup.yaml'));

  it('consists of valid objects, and has no key of the vault', async () => {
    for (const object of objects) expect([object.kind, await complaint(object)]).toEqual([object.kind, null]);
    const secrets = [...read('k8s/components/backup/backup.yaml').matchAll(/secretKeyRef: \{ name: ([\w-]+)/g)];
    expect(secrets.map(([, name]) => name)).toEqual(['database-owner']);
  });

  it('places the script and its version where the script looks for them', () => {
    expect(read('k8s/components/backup/backup.yaml')).toContain(
      '{ key: backup.sh, path: deploy/backup.sh }, { key: package.json, path: package.json }',
    );
    expect(read('deploy/backup.sh')).toContain('"$here/../package.json"');
  });
});
