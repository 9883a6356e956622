// Fails where a word comes back that the glossary retired, in names, file names or text.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './launcher/project.mjs';

const glossary = 'docs/glossary.md';
/** Files about the past, or recordings of a release. */
const exempt = [glossary, 'CHANGELOG.md', 'package-lock.json', 'scripts/words.mjs'];
const exemptFolders = ['test/upgrade/v'];

/**
 * The table between the two marks: each word, its replacement, and the folders that it is retired in; empty: all.
 * @returns {{ word: string; instead: string; folders: string[] }[]}
 */
function retired() {
  const table = readFileSync(join(root, glossary), 'utf8').split(/<!-- \/?retired-words -->/)[1] ?? '';
  const rows = table.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  return rows.flatMap(([, word = '', instead = '', where = '']) =>
    word === '' || word === 'Retired' || word.startsWith('-')
      ? []
      : [{ word, instead, folders: where.split(', ').filter(Boolean) }],
  );
}

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

const found = [];
for (const path of files) {
  const lines = [path, ...readFileSync(join(root, path), 'utf8').split('\n')];
  const here = finders.filter(
    ({ folders }) => folders.length === 0 || folders.some((folder) => path.startsWith(folder)),
  );
  lines.forEach((line, at) => {
    for (const { word, instead, pattern } of here) {
      if (pattern.test(line))
        found.push(
          `${path}${at === 0 ? '' : `:${at}`}: “${word}” is retired: ${instead} (${line.trim().slice(0, 120)})`,
        );
    }
  });
}
if (found.length > 0) {
  process.stderr.write(`${found.join('\n')}\nwords  The glossary retired these: ${glossary}\n`);
  process.exit(1);
}
process.stdout.write(`words  none of ${words.length} retired words came back in ${files.length} files\n`);
