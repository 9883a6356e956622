// What the image of one service holds: the files that its programs import. Found in the build, so that a new import
// needs no entry anywhere.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';

const CLI = 'apps/cli/src/gatehouse.js';
const BOOT_SIGNALS = 'libs/service-kit/src/boot-signals.js';
const DATABASE = 'libs/database/src';
/** Images that prepare the database for all services. test/deploy compares this with what the deployments start. */
const PREPARING = ['portal', 'host'];
/** Images that serve the console. */
const SERVING_CONSOLE = ['portal', 'host'];

/** As tsc and the bundler write them. Names in a comment may be found too, which costs space and nothing else. */
const imports =
  /(?:\bfrom\s*|\bimport\s*|\bimport\(\s*|\brequire\(\s*|\bcreateRequire\(import\.meta\.url\)\(\s*|\bresolve\(\s*)["']([^"'\n]+)["']/g;
const isCode = (/** @type {string} */ path) => /\.[cm]?js$/.test(path);
const isTest = (/** @type {string} */ path) => /\/testing\//.test(path);

/**
 * @typedef {object} Contents
 * @property {string[]} files of dist/, relative to it
 * @property {string[]} packages folders of packages outside of dist/, relative to the root
 */

/**
 * @param {string} root with dist/ and node_modules/
 * @param {string} app
 * @returns {Contents}
 */
export function contentsOf(root, app) {
  const dist = join(root, 'dist');
  const names = readdirSync(join(dist, 'apps'));
  const runnable = names.filter((name) => existsSync(join(dist, 'apps', name, 'src/main.js')));
  // The host runs all services but one, and the programs beside them.
  const folders = app === 'host' ? runnable.filter((name) => name !== 'python-runner') : [app];
  const own = folders.flatMap((name) => below(join(dist, 'apps', name))).filter((path) => !isTest(path));
  // Found by folder at run time: all-schemas.ts.
  const schemas = ['libs/journal', ...names.map((name) => `apps/${name}`)].map((folder) =>
    join(dist, folder, 'src/db/schema.js'),
  );
  const open = [CLI, BOOT_SIGNALS].map((path) => join(dist, path)).concat(own);
  if (schemas.some((path) => own.includes(path))) open.push(join(dist, DATABASE, 'wait-migrated.js'));
  if (PREPARING.includes(app)) {
    open.push(...['prepare-roles.js', 'migrate-all.js'].map((name) => join(dist, DATABASE, name)));
    open.push(...schemas.filter(existsSync));
  }
  if (SERVING_CONSOLE.includes(app)) open.push(...below(join(dist, 'console')));

  /** @type {Set<string>} */
  const files = new Set();
  /** @type {Set<string>} */
  const packages = new Set();
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (files.has(path)) continue;
    files.add(path);
    if (existsSync(`${path}.map`)) files.add(`${path}.map`);
    if (!isCode(path) || path.startsWith(join(dist, 'console') + sep)) continue;
    for (const [, specifier = ''] of readFileSync(path, 'utf8').matchAll(imports)) {
      const found = resolved(root, path, specifier);
      if (found?.file) open.push(...found.file);
      if (found?.folder) addPackage(root, found.folder, packages);
    }
  }
  return {
    files: [...files].map((path) => relative(dist, path)).sort(),
    packages: [...packages].map((path) => relative(root, path)).sort(),
  };
}

/**
 * @param {string} root @param {string} from the importing file @param {string} specifier
 * @returns {{file?: string[], folder?: string} | null} null: built into Node, or installed nowhere
 */
function resolved(root, from, specifier) {
  const dist = join(root, 'dist');
  if (specifier.startsWith('.')) {
    const path = normalize(join(dirname(from), specifier));
    return existsSync(path) && statSync(path).isFile() ? { file: [path] } : null;
  }
  if (specifier.startsWith('#libs/')) return { file: [join(dist, `libs/${specifier.slice(6)}/src/index.js`)] };
  if (specifier === '#python-memory') return { file: [join(dist, 'python-memory')] };
  const parts = specifier.split('/');
  const name = parts.splice(0, specifier.startsWith('@') ? 2 : 1).join('/');
  const joined = join(dist, 'node_modules', name, 'package.json');
  if (existsSync(joined)) {
    const { exports } = JSON.parse(readFileSync(joined, 'utf8'));
    const target = exports[['.', ...parts].join('/')];
    return target ? { file: [joined, join(dirname(joined), target)] } : null;
  }
  // The build has bundled all that packages load. What else a bundle names is optional, or in a text that it writes.
  if (from.startsWith(join(dist, 'node_modules') + sep)) return null;
  const folder = join(root, 'node_modules', name);
  return existsSync(join(folder, 'package.json')) ? { folder } : null;
}

/**
 * A package that the build has not bundled, with all that it needs.
 * @param {string} root @param {string} folder @param {Set<string>} into
 */
function addPackage(root, folder, into) {
  if (into.has(folder)) return;
  into.add(folder);
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const optional = about.peerDependenciesMeta ?? {};
  const peers = Object.keys(about.peerDependencies ?? {}).filter((name) => !optional[name]?.optional);
  for (const name of [...Object.keys({ ...about.dependencies, ...about.optionalDependencies }), ...peers]) {
    for (let at = folder; at.startsWith(root); at = dirname(at)) {
      const found = join(at, 'node_modules', name);
      if (!existsSync(join(found, 'package.json'))) continue;
      addPackage(root, found, into);
      break;
    }
  }
}

/** @param {string} folder @returns {string[]} */
export function below(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
