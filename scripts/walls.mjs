// Fails where two folders of a service or a library import each other, by value or by type.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { root } from './launcher/project.mjs';

/** In the console, what is above the features lists them, and they use its routes: its own rules are the boundaries'. */
const ruledElsewhere = 'apps/console/';

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'apps', 'libs'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path.endsWith('.ts') && !path.startsWith(ruledElsewhere) && existsSync(join(root, path)))
  .filter((path) => !/\.spec\.ts$|\/testing\//.test(path));
const known = new Set(files);

/** The imports between folders, each with the files that make it. @type {Map<string, string[]>} */
const edges = new Map();
for (const file of files) {
  const text = readFileSync(join(root, file), 'utf8');
  for (const [, specifier = ''] of text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)) {
    const to = normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts');
    if (!known.has(to) || dirname(to) === dirname(file)) continue;
    const edge = `${dirname(file)} ${dirname(to)}`;
    edges.set(edge, [...(edges.get(edge) ?? []), `${file} imports ${to}`]);
  }
}

/** A folder and one inside it are one part of the service. */
const apart = (/** @type {string} */ a, /** @type {string} */ b) => !a.startsWith(`${b}/`) && !b.startsWith(`${a}/`);

const pairs = [...edges].flatMap(([edge, there]) => {
  const [from = '', to = ''] = edge.split(' ');
  const back = edges.get(`${to} ${from}`);
  return from < to && back && apart(from, to) ? [[`${from} and ${to}:`, ...there, ...back].join('\n  ')] : [];
});
if (pairs.length > 0) {
  process.stderr.write(
    `${pairs.join('\n')}\nwalls  These folders import each other. What both need goes into a third one.\n`,
  );
  process.exit(1);
}
process.stdout.write(`walls  no two of the folders with ${files.length} files import each other\n`);
