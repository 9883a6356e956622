// Every gate except the tests: format, lint, types, boundaries, dead code, docs, licences. One command reports all of
// them.
import { spawnSync } from 'node:child_process';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { root } from './launcher/project.mjs';

await ensureNode();
await ensureInstalled();

/** @type {[string, string, string[]][]} */
const gates = [
  ['format', 'prettier/bin/prettier.cjs', ['--check', '.', '--log-level', 'warn']],
  ['lint', 'oxlint/bin/oxlint', ['--type-aware', '--deny-warnings', 'apps', 'libs', 'test', 'bench', 'scripts']],
  ['types', 'typescript/bin/tsc', ['-p', 'tsconfig.json', '--noEmit']],
  ['types of the console', 'typescript/bin/tsc', ['-p', 'apps/console/tsconfig.json', '--noEmit']],
  ['types of the API', '../scripts/api-types.mjs', ['--check']],
  ['reference of the command line', '../scripts/cli-reference.mjs', ['--check']],
  ['reference', '../scripts/reference.mjs', ['--check']],
  ['chart of Helm', '../scripts/chart.mjs', ['--check']],
  [
    'boundaries',
    'dependency-cruiser/bin/dependency-cruiser.mjs',
    ['apps', 'libs', '--config', '.dependency-cruiser.mjs'],
  ],
  ['walls between folders', '../scripts/walls.mjs', []],
  ['dead code', 'knip/bin/knip.js', []],
  ['docs and their links', '../scripts/docs.mjs', ['--build']],
  ['custody', '../scripts/custody.mjs', []],
  ['life of a message', '../scripts/life.mjs', []],
  ['retired words', '../scripts/words.mjs', []],
  ['long lines', '../scripts/lines.mjs', []],
  ['licences', '../scripts/licences.mjs', []],
];

const failed = [];
for (const [name, bin, args] of gates) {
  process.stdout.write(`check  ${name}\n`);
  const { status } = spawnSync(process.execPath, [`node_modules/${bin}`, ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) failed.push(name);
}
process.stdout.write(failed.length > 0 ? `check  failed: ${failed.join(', ')}\n` : 'check  all gates pass\n');
process.exit(failed.length > 0 ? 1 : 0);
