import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheDir, root } from '../../../scripts/launcher/project.mjs';

/** What nearly every spec imports, of some 2,000 files. Each test file gets its packages anew, and these once a package. */
const specifiers = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/microservices',
  '@nestjs/platform-fastify',
  '@nestjs/swagger',
  '@nestjs/typeorm',
  'bullmq',
  'class-transformer',
  'class-validator',
  'fastify',
  'ioredis',
  'jose',
  'pg',
  'pino',
  'prom-client',
  'reflect-metadata',
  'rxjs',
  'typeorm',
  'typeorm/driver/postgres/PostgresDriver.js',
];
const home = join(cacheDir, 'test-packages');
const lockFile = join(root, 'package-lock.json');

/** @param {string} specifier */
const fileOf = (specifier) => `${specifier.replaceAll('/', '__').replace('@', '')}.mjs`;

/** The same names as the package has: of one that is CommonJS they are known only once it has run. @param {string} specifier */
async function entryOf(specifier) {
  const names = Object.keys(await import(specifier)).filter((name) => name !== 'default' && /^[\w$]+$/.test(name));
  return [
    `import * as all from ${JSON.stringify(specifier)};`,
    'export default all.default;',
    ...names.map((name, index) => `const export${index} = all.${name};`),
    `export { ${names.map((name, index) => `export${index} as ${name}`).join(', ')} };`,
  ].join('\n');
}

/** @param {string} dir which is made */
async function bundlePackages(dir) {
  const installed = Object.keys(JSON.parse(readFileSync(lockFile, 'utf8')).packages);
  const entries = new Map();
  for (const specifier of specifiers) {
    const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
    const second = installed.find((path) => path.endsWith(`/node_modules/${name}`));
    if (second) throw new Error(`${name} is installed in ${second} too, and tests would have the other one there`);
    entries.set(`tests:${specifier}`, await entryOf(specifier));
  }
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    input: Object.fromEntries(
      specifiers.map((specifier) => [fileOf(specifier).replace(/\.mjs$/, ''), `tests:${specifier}`]),
    ),
    // Drivers and transports that are not installed are asked for where they are used, which is never.
    onLog: () => undefined,
    plugins: [
      {
        name: 'entries',
        resolveId: (id) => (entries.has(id) ? `\0${id}` : null),
        load: (id) => (id.startsWith('\0tests:') ? entries.get(id.slice(1)) : null),
      },
    ],
  });
  await bundle.write({
    dir,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: 'chunk-[hash].mjs',
    // Modules run when they would have run: reflect-metadata before what decorates.
    strictExecutionOrder: true,
    keepNames: true,
    comments: false,
    minify: { mangle: false, compress: false, codegen: true },
  });
  await bundle.close();
}

/**
 * Where Jest finds the packages that nearly every spec imports, as its `moduleNameMapper` wants it: joined into some forty
 * files, which are made when a package has changed.
 * @returns {Promise<Record<string, string>>}
 */
export async function joinedPackages() {
  const state = createHash('sha256')
    .update(readFileSync(lockFile))
    .update(readFileSync(fileURLToPath(import.meta.url)))
    .digest('hex');
  const dir = join(home, state.slice(0, 12));
  if (!existsSync(dir)) {
    rmSync(home, { recursive: true, force: true });
    // Under another name until all is there: a second run may start meanwhile.
    const draft = `${dir}.${process.pid}`;
    mkdirSync(draft, { recursive: true });
    await bundlePackages(draft);
    if (!existsSync(dir)) renameSync(draft, dir);
  }
  return Object.fromEntries(specifiers.map((specifier) => [`^${specifier}$`, join(dir, fileOf(specifier))]));
}
