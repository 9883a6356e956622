import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { createAdapterServer, defineAdapter } from '#libs/adapter-sdk';
import { freePort, until } from '#libs/testing';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const target = join(root, 'dist/packages/adapter-sdk');
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

/** The smallest possible adapter: a skill's credential check. */
const adapter = defineAdapter({
  manifest: {
    schema_version: '1.0',
    slug: 'quiet',
    name: 'Quiet',
    description: 'For tests.',
    category: 'Integration',
    capabilities: [],
    credentials: [],
  },
  verify: () => ({ ok: true, user: 'quiet' }),
});

let app: FastifyInstance;
let address: string;

beforeAll(async () => {
  await run(process.execPath, [join(root, 'scripts/build-sdk.mjs')]);
  app = createAdapterServer([adapter], { version: 'build-7', logger: pino({ level: 'silent' }) });
  address = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

/** Runs the published command and accepts any exit code. */
function check(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const command = [join(target, 'dist/cli.js'), 'adapter', 'check', ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, command, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

describe('the published package', () => {
  it('contains the compiled SDK with its types, the command and the template, and nothing else', async () => {
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: target });
    const files: string[] = JSON.parse(stdout)[0].files.map((file: { path: string }) => file.path);
    for (const path of ['dist/index.js', 'dist/index.d.ts', 'dist/cli.js', 'template/src/acme.adapter.ts', 'LICENSE']) {
      expect(files).toContain(path);
    }
    expect(files.filter((path) => /^dist\/.*\.spec\./.test(path) || path.startsWith('src/'))).toEqual([]);
  });

  it('names its dependencies at the versions that it is tested with, and no Nest', () => {
    const { dependencies, exports } = readJson(join(target, 'package.json'));
    for (const [name, version] of Object.entries(dependencies)) {
      expect([name, version]).toEqual([name, readJson(join(root, 'node_modules', name, 'package.json')).version]);
    }
    expect(Object.keys(dependencies).filter((name) => name.startsWith('@nestjs'))).toEqual([]);
    expect(exports['.']).toEqual({ types: './dist/index.d.ts', default: './dist/index.js' });
  });
});

describe('gatehouse adapter check', () => {
  it('says what holds, what does not apply, and exits with 0', async () => {
    const { code, stdout } = await check(`${address}/quiet`);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^quiet build-7 at http/);
    expect(stdout).toMatch(/^pass {2} 1 {2}/m);
    expect(stdout).toMatch(/^part {2} 2 {2}/m);
    expect(stdout).toContain('2.good skip: the fixtures have no credentials.good');
    expect(stdout).toMatch(/^n\/a {3} 9 {2}/m);
    expect(stdout).toMatch(/0 failed/);
  });

  it('says the same as JSON', async () => {
    const report = JSON.parse((await check(`${address}/quiet`, '--json')).stdout);
    expect(report).toMatchObject({ contract: '1', adapter: 'quiet', version: 'build-7', ok: true });
    expect(report.points).toHaveLength(15);
    expect(report.summary.skipped).toBeGreaterThan(0);
  });

  it('exits with 1 and says what to do about each failure', async () => {
    const { code, stdout } = await check(`${address}/elsewhere`);
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAIL {3}1 /);
    expect(stdout).toMatch(
      /call {6}GET \/manifest\.json\n +expected {2}HTTP 200\n +got {7}HTTP 404 .*\n +to do {5}Serve/,
    );
  });

  it('reports an unreachable adapter instead of failing itself', async () => {
    const { code, stdout } = await check('http://127.0.0.1:1/quiet');
    expect(code).toBe(1);
    expect(stdout).toContain('no answer');
  });

  it('exits with 2 when it cannot run', async () => {
    expect(await check()).toMatchObject({ code: 2, stderr: expect.stringContaining('gatehouse adapter check <url>') });
    expect(await check('ftp://x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not an http or https URL'),
    });
    expect(await check(address, '--fixtures', '/nowhere')).toMatchObject({ code: 2 });
  });
});

describe('the template of the tutorial', () => {
  let project: string;
  let acme: ChildProcess | undefined;

  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), 'acme-adapter-'));
    cpSync(join(target, 'template'), project, { recursive: true });
    writeFileSync(join(project, 'package.json'), '{ "name": "acme-adapter", "private": true, "type": "module" }');
    for (const [name, folder] of [
      ['@gatehouse/adapter-sdk', target],
      ['@types/node', join(root, 'node_modules/@types/node')],
    ] as const) {
      mkdirSync(join(project, 'node_modules', name, '..'), { recursive: true });
      symlinkSync(folder, join(project, 'node_modules', name));
    }
  });
  afterAll(() => {
    acme?.kill();
    rmSync(project, { recursive: true, force: true });
  });

  it('compiles against the package, starts, and passes the published command', async () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const options = ['--module', 'nodenext', '--target', 'es2024', '--strict', '--types', 'node', '--outDir', 'dist'];
    await run(process.execPath, [tsc, ...options, 'src/main.ts'], { cwd: project });

    const [port, providerPort] = [await freePort(), await freePort()];
    acme = spawn(process.execPath, ['dist/main.js'], {
      cwd: project,
      stdio: 'ignore',
      env: { PORT: String(port), ACME_API_URL: `http://127.0.0.1:${providerPort}`, ACME_TIMEOUT_MS: '8000' },
    });
    const url = `http://127.0.0.1:${port}/acme`;
    await until('the adapter is ready', async () => (await fetch(`${url}/health`)).ok);

    const command = [
      join(target, 'dist/cli.js'),
      'adapter',
      'check',
      url,
      '--fixtures',
      'conformance',
      '--second',
      url,
    ];
    const { stdout } = await run(process.execPath, [...command, '--provider-port', String(providerPort), '--json'], {
      cwd: project,
    });
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ adapter: 'acme', ok: true, summary: { failed: 0, skipped: 1 } });
  });
});
