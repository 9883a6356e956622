import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from '../../scripts/launcher/project.mjs';

/** What the generators read and change, and what their results are checked with. */
const copied = [
  'apps',
  'libs',
  'scripts',
  'docs/adapters',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'jest.config.mjs',
  'docker-compose.yml',
  '.swcrc',
  '.prettierrc.json',
  '.prettierignore',
  '.editorconfig',
  '.oxlintrc.json',
];
const pages = /^apps\/console(\/|$)/;

let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'gatehouse-new-'));
  for (const path of copied) {
    const filter = (source: string): boolean => !pages.test(relative(root, source));
    cpSync(join(root, path), join(copy, path), { recursive: true, filter });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

interface Ended {
  code: number;
  printed: string;
}

/** Runs Node in the copy to its end, and accepts any exit code. */
function node(...args: string[]): Promise<Ended> {
  const env = { ...process.env, GATEHOUSE_TEST_STORES: 'none' };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: copy, env }, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, printed: `${stdout}${stderr}` }),
    );
  });
}
const make = (...args: string[]): Promise<Ended> => node('scripts/new.mjs', ...args);
const read = (path: string): string => readFileSync(join(copy, path), 'utf8');
const passes = { code: 0, printed: expect.any(String) };

describe('the generated code', () => {
  const made: string[] = [];

  beforeAll(async () => {
    for (const args of [
      ['adapter', 'acme-chat'],
      ['job', 'report.write', 'engine'],
      ['migration', 'router', 'contact-notes'],
      ['migration', 'engine', 'turn-by-channel', '--large-index'],
    ]) {
      const { code, printed } = await make(...args);
      expect([code, printed]).toEqual([0, expect.stringContaining('What is left to do')]);
      for (const [, path = ''] of printed.matchAll(/(?:Wrote|Changed) (\S+)/g)) made.push(path);
    }
  });

  it('is formatted, linted and typed like the rest', async () => {
    const code = made.filter((path) => path.endsWith('.ts'));
    expect(code.length).toBeGreaterThan(10);
    expect(await node('node_modules/prettier/bin/prettier.cjs', '--check', ...made)).toEqual(passes);
    const compilerOptions = { noEmit: true, incremental: false };
    writeFileSync(
      join(copy, 'tsconfig.json'),
      JSON.stringify({ extends: './tsconfig.base.json', compilerOptions, files: code }),
    );
    expect(await node('node_modules/typescript/bin/tsc')).toEqual({ code: 0, printed: '' });
    expect(await node('node_modules/oxlint/bin/oxlint', '--type-aware', ...code)).toEqual(passes);
  });

  it('contains an adapter that passes the conformance kit', async () => {
    const { code, printed } = await node('node_modules/jest/bin/jest.js', '-i', 'apps/adapters/src/acme-chat');
    expect([code, printed]).toEqual([0, expect.stringMatching(/Tests: .* [4-9]\d passed/)]);
  });

  it('contains a job whose queue its service consumes and may use, in Compose too', async () => {
    expect(read('libs/contracts/src/jobs/catalogue.ts')).toMatch(/\n {2}reportWrite,\n\] as const/);
    expect(read('apps/engine/src/service.ts')).toContain(`consumes: ['turns', 'report-write']`);
    expect(read('apps/engine/src/reports/reports.module.ts')).toContain('ReportWriteHandler');
    const program = `import { rulesOf } from './scripts/launcher/redis-users.mjs'; console.log(rulesOf('engine'))`;
    const { printed } = await node('--input-type=module', '--eval', program);
    expect(printed).toContain('~{gatehouse:q:report-write}:*');
    expect(read('docker-compose.yml')).toContain(`{REDIS_PASSWORD_ENGINE:?} ${printed}`);
  });

  it('contains a migration that runs last', () => {
    expect(read('apps/router/src/db/schema.ts')).toMatch(/ContactNotes\d{13},?\s*\]/);
  });

  it('contains an index that is built outside of a transaction, in the schema of its service', () => {
    const [path = ''] = made.filter((each) => each.endsWith('-turn-by-channel.ts'));
    expect(read(path)).toMatch(/transaction = false;[^]*buildLargeIndex\(runner, \{ name: 'engine\.turn_by_channel'/);
    expect(read('apps/engine/src/db/schema.ts')).toMatch(/TurnByChannel\d{13},?\s*\]/);
  });
});

describe('what cannot be generated', () => {
  it.each([
    [['adapter', 'Acme'], '"Acme" cannot be an adapter\'s slug: use lower-case letters'],
    [['adapter', 'telegram'], 'apps/adapters/src/telegram is there already: choose another name'],
    [['job', 'report'], '"report" cannot be a job\'s name: say what it is about'],
    [['job', 'report.read', 'portal'], '"portal" is no service that takes jobs: name one of adapter-gateway, '],
    [['job', 'turn.run', 'engine'], 'libs/contracts/src/jobs/turn-run.ts is there already'],
    [['migration', 'python-runner', 'more'], '"python-runner" has no schema: name one of '],
    [['migration', 'router', 'More'], '"More" cannot be a migration\'s name: say what it adds'],
    [['migration', 'router', 'router'], '-router.ts has this name'],
    [['service'], 'Say what is to be new: npm run new:adapter'],
  ])('is refused with what to do: %j', async (args, sentence) => {
    expect(await make(...args)).toEqual({ code: 1, printed: expect.stringContaining(sentence) });
  });
});
