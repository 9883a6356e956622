import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { consoleDir, ensureConsoleBuilt } from './build-console.mjs';
import { joinDependencies } from './dependencies.mjs';
import { filesBelow, fingerprint } from './fingerprint.mjs';
import { root } from './project.mjs';
import { say } from './say.mjs';

const dist = join(root, 'dist');
const stamp = join(dist, '.build-stamp');
const CONFIGS = ['tsconfig.base.json', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];

/** Everything that ends up in dist/apps and dist/libs, specs left out. */
const sources = () =>
  ['apps', 'libs']
    .flatMap((dir) => filesBelow(join(root, dir)))
    .filter((path) => !path.startsWith(consoleDir) && !/\.spec\.[cm]?ts$/.test(path));

const isCode = (/** @type {string} */ path) => /\.[cm]?tsx?$/.test(path);
const isCompiled = (/** @type {string} */ path) => path.endsWith('.js');
const distOf = (/** @type {string} */ path) => join(dist, relative(root, path));

/** What a deleted source left behind would still be loaded. @param {string[]} paths */
function prune(paths) {
  const wanted = new Set(paths.map((path) => distOf(path).replace(/\.tsx?$/, '.js')));
  for (const path of ['apps', 'libs'].flatMap((dir) => filesBelow(join(dist, dir)))) {
    if (!wanted.has(path.replace(/\.map$/, ''))) rmSync(path);
  }
}

/** @returns {string} names what is built: another one after each change of a source */
export const buildId = () => (existsSync(stamp) ? readFileSync(stamp, 'utf8') : '');

/**
 * Builds what is not up to date in dist/: the services, and the pages of the console.
 * @param {{console?: boolean}} [parts]
 * @returns {Promise<boolean>} whether anything was built
 */
export async function ensureBuilt({ console = true } = {}) {
  const services = await ensureServicesBuilt();
  return (console && ensureConsoleBuilt()) || services;
}

/** Compiles apps and libs into dist/, copies what is not code beside it and joins their dependencies. */
async function ensureServicesBuilt() {
  const paths = sources();
  const before = fingerprint([...paths, ...CONFIGS.map((name) => join(root, name)).filter(existsSync)]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === before) return false;
  say('Building …');
  const started = Date.now();
  // With its output gone, tsc would trust the old build info and write nothing.
  if (!existsSync(stamp)) rmSync(join(dist, '.tsbuildinfo-build'), { force: true });
  rmSync(stamp, { force: true });
  const tsc = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.build.json')],
    {
      cwd: root,
      stdio: 'inherit',
    },
  );
  if (tsc.status !== 0) throw new Error('The build failed (see above).');
  for (const path of paths.filter((path) => !isCode(path))) {
    mkdirSync(dirname(distOf(path)), { recursive: true });
    copyFileSync(path, distOf(path));
  }
  prune(paths);
  await joinDependencies(['apps', 'libs'].flatMap((dir) => filesBelow(join(dist, dir))).filter(isCompiled));
  writeFileSync(stamp, before);
  say(`Built in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return true;
}
