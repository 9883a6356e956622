// What .ci/run does with spec files that failed: each runs once more, alone. One that passes then is printed as flaky,
// with its first failure, and does not reject the change; its cause is the next thing to work on.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './launcher/project.mjs';

/** More than bad luck: a change that breaks this many files is not tried again. */
const MOST = 10;

const [list = ''] = process.argv.slice(2);
const text = readFileSync(list, 'utf8');
/** @type {Array<{ file: string, failure: string }>} */
const failed = text === '' ? [] : JSON.parse(text);
if (failed.length === 0 || failed.length > MOST) {
  const why = failed.length === 0 ? 'The tests did not run to their end' : `${failed.length} spec files failed`;
  process.stdout.write(`${why}: nothing is run again.\n`);
  process.exit(1);
}

const failedTwice = failed.filter(({ file }) => {
  process.stdout.write(`\n${file} failed: it runs once more, alone.\n`);
  const kind = file.endsWith('.unit.spec.ts') ? ['unit'] : [];
  const args = [join(root, 'scripts/test.mjs'), ...kind, '--runInBand', '--runTestsByPath', file];
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status !== 0;
});
for (const { file, failure } of failed.filter((one) => !failedTwice.includes(one)))
  process.stdout.write(`\nflaky: ${file}\nIt passed alone. Its first failure:\n${failure}\n`);
for (const { file } of failedTwice) process.stdout.write(`failed twice: ${file}\n`);
process.exit(failedTwice.length > 0 ? 1 : 0);
