// Writes the command-line reference docs/cli.md from the commands' own help; with --check it only compares.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './launcher/build.mjs';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { root } from './launcher/project.mjs';
import { runScript, say } from './launcher/say.mjs';

const page = join(root, 'docs/cli.md');
const between = /(<!-- commands -->\n)[\s\S]*(<!-- \/commands -->)/;

await runScript(async () => {
  await ensureNode();
  await ensureInstalled();
  await ensureBuilt({ console: false });
  const built = (/** @type {string} */ path) => import(join(root, 'dist/apps/cli/src', path));
  const [{ commands }, { reference }] = await Promise.all([built('commands.js'), built('call/reference.js')]);
  const { format } = await import('prettier');
  const written = await format(reference(commands), { parser: 'markdown', proseWrap: 'always', printWidth: 150 });
  const before = existsSync(page) ? readFileSync(page, 'utf8') : '';
  const after = before.replace(between, (_all, open, close) => `${open}\n${written}\n${close}`);
  if (before === after) return;
  if (process.argv.includes('--check'))
    throw new Error('docs/cli.md does not match the commands: run node scripts/cli-reference.mjs');
  writeFileSync(page, after);
  say('docs/cli.md is written');
});
