import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './project.mjs';
import { say } from './say.mjs';

const dist = join(root, 'dist');
/** Everything below dist/, and nothing else, resolves packages here before node_modules. */
const home = join(dist, 'node_modules');
const stamp = join(home, '.stamp');
const bundlerPath = fileURLToPath(new URL('bundle-packages.mjs', import.meta.url));

/** Imports as tsc writes them. */
const imports = /^(?:import|export) (?:([^'";]+?) from )?['"]([^'".#][^'"]*)['"];/gm;
/** Modules that packages only look for at run time: `@nestjs/mapped-types`, for classes that derive from others. */
const askedByName = {
  'class-validator': ['getMetadataStorage', 'IsOptional', 'ValidateIf'],
  'class-transformer/cjs/storage': ['defaultMetadataStorage'],
};
const isTest = (/** @type {string} */ path) => /\/testing\//.test(path);

/**
 * The packages that the compiled code imports: names by specifier, `*` for a whole namespace. Tests may add names of
 * packages that services import, but no packages.
 * @param {string[]} files
 * @returns {Map<string, Set<string>>}
 */
function importedBy(files) {
  /** @type {Map<string, Set<string>>} */
  const found = new Map(Object.entries(askedByName).map(([specifier, names]) => [specifier, new Set(names)]));
  for (const file of [...files].sort((a, b) => Number(isTest(a)) - Number(isTest(b)) || (a < b ? -1 : 1))) {
    for (const [, clause = '', specifier = ''] of readFileSync(file, 'utf8').matchAll(imports)) {
      if (isBuiltin(specifier) || (isTest(file) && !found.has(specifier))) continue;
      const names = found.get(specifier) ?? new Set();
      found.set(specifier, names);
      for (const name of namesIn(clause)) names.add(name);
    }
  }
  return found;
}

/** @param {string} clause the text between `import` and `from` */
function namesIn(clause) {
  const braces = /\{([^}]*)\}/.exec(clause)?.[1] ?? '';
  const named = braces.split(',').map((each) => (each.trim().split(/\s+as\s+/)[0] ?? '').trim());
  const before = (clause.split('{')[0] ?? '').replace(/,\s*$/, '').trim();
  const first = before === '' ? [] : [before.startsWith('*') ? '*' : 'default'];
  return [...named, ...first].filter(Boolean);
}

/** @param {string} specifier @param {Set<string>} names */
function entryOf(specifier, names) {
  const from = JSON.stringify(specifier);
  const listed = [...names].filter((name) => name !== '*').sort();
  return [
    names.has('*') ? `export * from ${from};` : '',
    listed.length > 0 ? `export { ${listed.join(', ')} } from ${from};` : `import ${from};`,
  ].join('\n');
}

/**
 * @param {string} specifier @returns {{name: string, file: string, path: string}} its package, its file there, and its
 *   export path
 */
function placeOf(specifier) {
  const parts = specifier.split('/');
  const name = parts.splice(0, specifier.startsWith('@') ? 2 : 1).join('/');
  const sub = parts.join('/');
  return {
    name,
    file: sub === '' ? 'index.js' : `${sub.replace(/\.js$/, '')}.js`,
    path: sub === '' ? '.' : `./${sub}`,
  };
}

/**
 * Bundles the packages that the services import into some ten files in dist/node_modules. A service reads those instead
 * of 3,000 files, and only the used parts of most packages. Does nothing when neither the packages nor the imports
 * changed.
 * @param {string[]} files the compiled code, absolute paths
 */
export async function joinDependencies(files) {
  const imported = importedBy(files);
  const entries = new Map(
    [...imported]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([specifier, names]) => [specifier, entryOf(specifier, names)]),
  );
  const state = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(readFileSync(new URL(import.meta.url)))
    .update(readFileSync(bundlerPath))
    .update(JSON.stringify([...entries]))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return;
  const started = Date.now();
  rmSync(home, { recursive: true, force: true });
  const inputs = [...entries].map(([specifier, text]) => ({ name: inputName(specifier), specifier, text }));
  // In a process that ends: a gigabyte that the bundler takes would stay with this one, which keeps the system running.
  const bundler = spawnSync(process.execPath, [bundlerPath, home], {
    cwd: root,
    input: JSON.stringify(inputs),
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  if (bundler.error) throw bundler.error;
  if (bundler.status !== 0) throw new Error('The packages could not be bundled (see above).');
  describePackages([...entries.keys()]);
  writeFileSync(stamp, state);
  say(`Joined ${entries.size} dependencies in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/** @param {string} specifier */
function inputName(specifier) {
  const { name, file } = placeOf(specifier);
  return `${name}/${file.replace(/\.js$/, '')}`;
}

/** @param {string[]} specifiers */
function describePackages(specifiers) {
  /** @type {Map<string, Record<string, string>>} */
  const exportsOf = new Map();
  for (const { name, file, path } of specifiers.map(placeOf)) {
    exportsOf.set(name, { ...exportsOf.get(name), [path]: `./${file}` });
  }
  for (const [name, exports] of exportsOf) {
    write(`${name}/package.json`, JSON.stringify({ name, type: 'module', exports }));
  }
}

/** @param {string} path below dist/node_modules @param {string} text */
function write(path, text) {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
