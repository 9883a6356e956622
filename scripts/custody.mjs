// Fails where SQL outside of libs/work has the columns of a lease, or a name that a table of its own gave them.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './launcher/project.mjs';

const decision = 'docs/decisions/0142-rows-of-work-are-one-machine.md';
const words =
  /(?<!['{])\b(lease_until|lease_owner|retry_at|next_try_at|waiting_since|taken_by|attempt_heartbeat|swept_at)\b/;
const library = 'libs/work/';
/** Stores of tables that are not on libs/work: the decision says why. */
const apart = ['apps/credential-vault/src/grants/', 'libs/journal/src/batches.ts'];
/** Entities describe columns, migrations have run, and specs prepare rows. */
const exempt = /\.spec\.ts$|\.entity\.ts$|\/(db|testing)\//;
const literals = /`[^`]*`|'[^'\n]*'|"[^"\n]*"/g;
const sql = /\b(SELECT|UPDATE|INSERT|DELETE|SET|WHERE|AND)\b|=/;

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'apps/*.ts', 'libs/*.ts'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && !exempt.test(path) && !path.startsWith(library) && existsSync(join(root, path)));

const found = files.flatMap((path) => {
  const texts = readFileSync(join(root, path), 'utf8').match(literals) ?? [];
  const word = texts.filter((text) => sql.test(text)).map((text) => words.exec(text)?.[1]);
  return word.some(Boolean) ? [{ path, word: word.find(Boolean) }] : [];
});
const wrong = found.filter(({ path }) => !apart.some((store) => path.startsWith(store)));
const stale = apart.filter((store) => !found.some(({ path }) => path.startsWith(store)));
if (wrong.length > 0 || stale.length > 0) {
  for (const { path, word } of wrong) process.stderr.write(`${path}: “${word}” in SQL: let libs/work write it\n`);
  for (const store of stale) process.stderr.write(`${store} has none: remove it from scripts/custody.mjs\n`);
  process.stderr.write(`custody  Leases are kept by libs/work alone: ${decision}\n`);
  process.exit(1);
}
process.stdout.write(
  `custody  leases are kept by libs/work, and in ${found.length} files of tables that are not on it\n`,
);
