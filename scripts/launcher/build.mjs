import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { joinDependencies } from './dependencies.mjs';
import { root } from './project.mjs';
import { say } from './say.mjs';

const dist = join(root, 'dist');
const stamp = join(dist, '.build-stamp');
const CONFIGS = ['tsconfig.base.json', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];

/** @param {string} dir @returns {string[]} absolute paths of the files below */
function filesBelow(dir) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.name === 'node_modules') return [];
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** Everything that ends up in dist/, specs left out. */
const sources = () =>
  ['apps', 'libs'].flatMap((dir) => filesBelow(join(root, dir))).filter((path) => !/\.spec\.[cm]?ts$/.test(path));

/** @param {string[]} paths */
function fingerprint(paths) {
  const hash = createHash('sha256');
  for (const path of [...paths].sort()) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${relative(root, path)}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

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
 * Compiles apps and libs into dist/, copies what is not code beside it and joins their dependencies; does nothing when dist/ is up to date.
 * @returns {Promise<boolean>} whether anything was built
 */
export async function ensureBuilt() {
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
