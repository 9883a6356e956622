// Fails where README's life of a message leaves out files that a reader of its links has to find alone, and where the
// path's handlers lead to more files than a reader keeps in mind.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { root } from './launcher/project.mjs';

/** Files that join the linked ones, and are not linked themselves. */
const most = 5;
/** Files of the services that the doors of the path lead to; libraries and controllers are not counted. */
const mostReachable = 130;

const files = execFileSync('git', ['ls-files', 'apps'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path.endsWith('.ts') && !path.startsWith('apps/console/') && existsSync(join(root, path)))
  .filter((path) => !/\.spec\.ts$|\/testing\//.test(path));
const known = new Set(files);
/** @type {Map<string, string[]>} */
const imports = new Map(files.map((file) => [file, importsOf(file)]));

/** @param {string} file */
function importsOf(file) {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/from\s*'(\.[^']*)'/g)]
    .map(([, specifier = '']) => normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts'))
    .filter((path) => known.has(path));
}

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const [, life = ''] = /## Life of a message\n([\s\S]*?)\n## /.exec(readme) ?? [];
const linked = [...life.matchAll(/\]\((apps\/[^)]+\.ts)\)/g)].map(([, path = '']) => path);
const isLinked = new Set(linked);

/** Where a message comes into a service: its path's jobs and requests. @param {string} file */
const isDoor = (file) => /\.(handler|receiver)\.ts$|\/front-door\.ts$/.test(file) && !besidePath.test(file);
/** Jobs of documents and of a changed App, which carry no message. */
const besidePath = /\/(source-sync|app-changed)\.handler\.ts$/;

/**
 * The files that the links of a service do not name, but its imports pass from a door to each of them: a tree over
 * the imports, grown by whichever link is nearest to it.
 * @param {string[]} targets of one service
 */
function unlinkedBetween(targets) {
  const tree = new Set(targets.filter(isDoor));
  const service = dirname(targets[0] ?? '').split('/')[1];
  const doors = files.filter((file) => file.startsWith(`apps/${service}/`) && isDoor(file));
  const left = new Set(targets.filter((file) => !tree.has(file)));
  while (left.size > 0) {
    const { cost, from } = nearest(tree, doors);
    const next = [...left].sort((a, b) => (cost.get(a) ?? Infinity) - (cost.get(b) ?? Infinity))[0] ?? '';
    if (!cost.has(next)) throw new Error(`README.md: no door of ${service} leads to ${next}`);
    for (let file = next; file && !tree.has(file); file = from.get(file) ?? '') tree.add(file);
    left.delete(next);
  }
  return [...tree].filter((file) => !isLinked.has(file));
}

/**
 * How many unlinked files lie between the tree and each file that it leads to, and through which file.
 * @param {ReadonlySet<string>} tree
 * @param {string[]} doors
 */
function nearest(tree, doors) {
  const weight = (/** @type {string} */ file) => (isLinked.has(file) || tree.has(file) ? 0 : 1);
  const cost = new Map([...doors, ...tree].map((file) => [file, weight(file)]));
  /** @type {Map<string, string>} */
  const from = new Map();
  const open = [...cost.keys()];
  for (let file = open.shift(); file !== undefined; file = open.shift())
    for (const imported of imports.get(file) ?? []) {
      const through = (cost.get(file) ?? 0) + weight(imported);
      if (through >= (cost.get(imported) ?? Infinity)) continue;
      cost.set(imported, through);
      from.set(imported, file);
      open.push(imported);
    }
  return { cost, from };
}

const services = [...new Set(linked.map((path) => path.split('/')[1]))];
const unlinked = services.flatMap((name) => unlinkedBetween(linked.filter((path) => path.split('/')[1] === name)));
if (unlinked.length > most) {
  process.stderr.write(
    `${unlinked.join('\n')}\nlife  README's life of a message links too few of these: at most ${most} may be left out.\n`,
  );
  process.exit(1);
}

const reachable = reachableFrom(files.filter((file) => isDoor(file) && services.includes(file.split('/')[1] ?? '')));
if (reachable.size > mostReachable) {
  process.stderr.write(
    `${[...reachable].sort().join('\n')}\nlife  The path's handlers lead to ${reachable.size} files: at most ${mostReachable}.\n`,
  );
  process.exit(1);
}
process.stdout.write(
  `life  ${linked.length} files are linked, ${unlinked.length} that join them are not; ${reachable.size} are reachable\n`,
);

/** @param {string[]} doors */
function reachableFrom(doors) {
  const found = new Set(doors);
  for (const file of found)
    for (const imported of imports.get(file) ?? []) if (!imported.endsWith('.controller.ts')) found.add(imported);
  return found;
}
