import { dirname, join } from 'node:path/posix';

/**
 * The text of each built file by its path from dist/.
 * @typedef {Map<string, string>} Built
 */

/** Imports as tsc writes them; a clause may span lines. */
const imported = /^(?:import|export)\b(?:[^'";]*?\bfrom)?\s*['"]([^'"]+)['"]/gm;
const importedLater = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;
/** Paths that are read, or run as a process of their own. */
const named = /\bnew URL\(\s*['"]([^'"]+)['"]\s*,\s*import\.meta\.url/g;

/** The build joins the services' packages and rewrites this file whenever one of them changes. */
export const PACKAGES = 'node_modules/.stamp';

/** @param {string} from @param {string} specifier @returns {string | null} null: a package, or one of Node's modules */
function targetOf(from, specifier) {
  if (specifier.startsWith('.')) return join(dirname(from), specifier);
  const library = /^#libs\/(.+)$/.exec(specifier)?.[1];
  return library ? `libs/${library}/src/index.js` : null;
}

/**
 * The files that a built file refers to: a single file, or everything below a folder of a service or library.
 * @param {string} path
 * @param {Built} built
 */
function namedBy(path, built) {
  const text = built.get(path) ?? '';
  const targets = [imported, importedLater, named].flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(([, specifier = '']) => targetOf(path, specifier) ?? []),
  );
  return targets.flatMap((target) => {
    if (built.has(target)) return [target];
    if (!/^(apps|libs)\/[^/]+\/src\/./.test(target)) return [];
    const folder = `${target.replace(/\/$/, '')}/`;
    return [...built.keys()].filter((each) => each.startsWith(folder));
  });
}

/** @param {string} entry  @param {Built} built  @returns {Set<string>} every file that it loads, including itself */
export function reachedFrom(entry, built) {
  const reached = new Set([entry]);
  for (const path of reached) {
    if (/\.m?js$/.test(path)) for (const each of namedBy(path, built)) reached.add(each);
  }
  return reached;
}

/**
 * @param {Built} before @param {Built} after @returns {string[]} paths whose text differs, or that exist in only one of
 *   them
 */
export function changedFiles(before, after) {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}

/**
 * The processes that run changed code. The graph before the change counts too: a file may be gone from a folder that a
 * process refers to.
 * @param {{name: string, entry: string}[]} processes entry: from the project's root
 * @param {Built} before
 * @param {Built} after
 * @returns {string[]} their names
 */
export function processesToRestart(processes, before, after) {
  const changed = changedFiles(before, after);
  if (changed.includes(PACKAGES)) return processes.map(({ name }) => name);
  return processes
    .filter(({ entry }) => {
      const path = entry.replace(/^dist\//, '');
      const reached = [reachedFrom(path, before), reachedFrom(path, after)];
      return changed.some((each) => reached.some((files) => files.has(each)));
    })
    .map(({ name }) => name);
}
