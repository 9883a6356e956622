// Fails where a word comes back that the glossary retired, in names, file names or text. `node scripts/words.mjs FOLDER`
// reads another repository than this one.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5';
import { root as project } from './launcher/project.mjs';

const root = process.argv[2] ?? project;

const glossary = 'docs/glossary.md';
/** Files about the past, or recordings of a release. */
const exempt = [glossary, 'CHANGELOG.md', 'package-lock.json', 'scripts/words.mjs'];
const exemptFolders = ['test/upgrade/v'];

/**
 * The table between the two marks: each word, its replacement, and the folders that it is retired in; empty: all. A
 * word that is retired in names only may stay in prose and in strings.
 * @returns {{ word: string; instead: string; inNames: boolean; folders: string[] }[]}
 */
function retired() {
  const table = readFileSync(join(root, glossary), 'utf8').split(/<!-- \/?retired-words -->/)[1] ?? '';
  const rows = table.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  return rows.flatMap(([, word = '', instead = '', where = '']) =>
    word === '' || word === 'Retired' || word.startsWith('-')
      ? []
      : [
          {
            word,
            instead,
            inNames: onlyNames.test(where),
            folders: where.replace(onlyNames, '').split(', ').filter(Boolean),
          },
        ],
  );
}
/** What the third column says of a word that is retired in names: `names`, or `names in` and the folders. */
const onlyNames = /^names( in |$)/;
const isCode = /\.(ts|tsx|mjs)$/;

const capital = (/** @type {string} */ text) => `${text[0]?.toUpperCase()}${text.slice(1)}`;

/**
 * Finds a word by itself or as part of a name: `putOff`, `put-off`, `put_off` and `put off` are one.
 * @param {string} word
 */
function finder(word) {
  const parts = word.split(/[\s-]|(?<=[a-z])(?=[A-Z])/).map((part) => part.toLowerCase());
  const either = (/** @type {string} */ part) => `(?:${part}|${capital(part)})`;
  const [first = '', ...others] = parts;
  const rest = others.map((part) => `[ _-]?${either(part)}`).join('');
  return new RegExp(`(?:(?<![a-z])${either(first)}|(?<=[a-z])${capital(first)})${rest}(?:s|es)?(?![a-z])`);
}

const words = retired();
if (words.length === 0) throw new Error(`${glossary} has no table of retired words between its marks.`);
const finders = words.map((entry) => ({ ...entry, pattern: finder(entry.word) }));
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)))
  .filter((path) => !exempt.includes(path) && !exemptFolders.some((folder) => path.startsWith(folder)))
  .filter((path) => /\.(ts|tsx|mjs|js|md|ya?ml|json|sh|sql|txt)$/.test(path));

/**
 * The names of a file of code by line: line 0 is its path, the others have its identifiers and nothing else.
 * @param {string} path @param {string} text
 */
function namesOf(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false);
  const lines = Array.from({ length: source.getLineStarts().length + 1 }, () => '');
  lines[0] = path;
  /** @param {import('typescript-5').Node} node */
  const visit = (node) => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node))
      lines[source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1] += `${node.text} `;
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lines;
}

/** @type {string[]} */
const found = [];
for (const path of files) {
  const text = readFileSync(join(root, path), 'utf8');
  const here = finders.filter(
    ({ inNames, folders, pattern }) =>
      (folders.length === 0 || folders.some((folder) => path.startsWith(folder))) &&
      (!inNames || (isCode.test(path) && (pattern.test(path) || pattern.test(text)))),
  );
  const lines = [path, ...text.split('\n')];
  const names = here.some(({ inNames }) => inNames) ? namesOf(path, text) : [];
  for (const { word, instead, inNames, pattern } of here)
    (inNames ? names : lines).forEach((line, at) => {
      if (!pattern.test(line)) return;
      const shown = (lines[at] ?? '').trim().slice(0, 120);
      found.push(
        `${path}${at === 0 ? '' : `:${at}`}: “${word}” is retired${inNames ? ' in names' : ''}: ${instead} (${shown})`,
      );
    });
}
if (found.length > 0) {
  process.stderr.write(`${found.join('\n')}\nwords  The glossary retired these: ${glossary}\n`);
  process.exit(1);
}
process.stdout.write(`words  none of ${words.length} retired words came back in ${files.length} files\n`);
