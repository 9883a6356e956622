import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { consoleDir, ensureConsoleBuilt } from './build-console.mjs';
import { ensurePythonMemory } from './build-python-memory.mjs';
import { joinDependencies } from './dependencies.mjs';
import { contentDigest, filesBelow, fingerprint } from './fingerprint.mjs';
import { root } from './project.mjs';
import { say } from './say.mjs';

const dist = join(root, 'dist');
const stamp = join(dist, '.build-stamp');
/** What is in dist/, for the processes that run it: it is equal wherever the same sources were built. */
const ownId = join(dist, 'build-id');
const CONFIGS = ['tsconfig.base.json', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];
const compiler = [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.build.json')];

/** The sources of dist/apps and dist/libs, without specs. */
const sources = () =>
  ['apps', 'libs']
    .flatMap((dir) => filesBelow(join(root, dir)))
    .filter((path) => !path.startsWith(consoleDir) && !/\.spec\.[cm]?ts$/.test(path));

const isCode = (/** @type {string} */ path) => /\.[cm]?tsx?$/.test(path);
const isCompiled = (/** @type {string} */ path) => path.endsWith('.js');
const distOf = (/** @type {string} */ path) => join(dist, relative(root, path));

/** Removes the output of deleted sources, which would still be loaded. @param {string[]} paths */
function prune(paths) {
  const wanted = new Set(paths.map((path) => distOf(path).replace(/\.tsx?$/, '.js')));
  for (const path of ['apps', 'libs'].flatMap((dir) => filesBelow(join(dist, dir)))) {
    if (!wanted.has(path.replace(/\.map$/, ''))) rmSync(path);
  }
}

/** @returns {string} identifies the build; it differs after each change of a source */
export const buildId = () => (existsSync(stamp) ? readFileSync(stamp, 'utf8') : '');

/**
 * Builds what is not up to date in dist/: the services, Python's memory snapshot, and the console's pages.
 * @param {{console?: boolean}} [parts]
 * @returns {Promise<boolean>} whether anything was built
 */
export async function ensureBuilt({ console = true } = {}) {
  const services = await ensureServicesBuilt();
  const python = ensurePythonMemory();
  return (console && ensureConsoleBuilt()) || services || python;
}

/** The sources of dist/, and a fingerprint of their current content. */
function wanted() {
  const paths = sources();
  return { paths, state: fingerprint([...paths, ...CONFIGS.map((name) => join(root, name)).filter(existsSync)]) };
}

/** Compiles apps and libs into dist/, copies other files beside the output, and joins the dependencies. */
async function ensureServicesBuilt() {
  const { paths, state } = wanted();
  if (buildId() === state) return false;
  say('Building …');
  const started = Date.now();
  // With its output gone, tsc would trust the old build info and write nothing.
  if (!existsSync(stamp)) rmSync(join(dist, '.tsbuildinfo-build'), { force: true });
  rmSync(stamp, { force: true });
  const tsc = spawnSync(process.execPath, compiler, { cwd: root, stdio: 'inherit' });
  if (tsc.status !== 0) throw new Error('The build failed (see above).');
  await complete(paths, state);
  say(`Built in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return true;
}

/**
 * Rebuilds the services incrementally while they run, without blocking this process. Sources that do not compile change
 * nothing in dist/.
 * @returns {Promise<{built: boolean, problems: string | null}>} problems: the compiler's errors
 */
export async function rebuild() {
  const { paths, state } = wanted();
  if (buildId() === state) return { built: false, problems: null };
  const problems = await compile();
  // The previous build's stamp stays: without a stamp, the next build would discard the compiler's build info.
  if (problems !== null) return { built: false, problems };
  await complete(paths, state);
  ensurePythonMemory();
  return { built: true, problems: null };
}

/** @returns {Promise<string | null>} what the compiler printed when it failed */
function compile() {
  const pretty = process.stdout.isTTY ? ['--pretty'] : [];
  return new Promise((resolve, reject) => {
    const tsc = spawn(process.execPath, [...compiler, ...pretty], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [tsc.stdout, tsc.stderr]) stream.setEncoding('utf8').on('data', (part) => (printed += part));
    tsc.once('error', reject);
    tsc.once('close', (code) => resolve(code === 0 ? null : printed.trim()));
  });
}

/** The steps after the compiler has run. @param {string[]} paths @param {string} state */
async function complete(paths, state) {
  for (const path of paths.filter((path) => !isCode(path))) {
    mkdirSync(dirname(distOf(path)), { recursive: true });
    copyFileSync(path, distOf(path));
  }
  prune(paths);
  await joinDependencies(['apps', 'libs'].flatMap((dir) => filesBelow(join(dist, dir))).filter(isCompiled));
  writeFileSync(ownId, `${contentDigest(paths).slice(0, 12)}\n`);
  writeFileSync(stamp, state);
}
