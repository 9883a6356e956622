// Records this release for the tests of later ones, test/upgrade/v<version>: what its migrations run, and an installation's
// rows and jobs. To be run for each release, before its tag; until then as often as a migration changes.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuilt } from './launcher/build.mjs';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { root } from './launcher/project.mjs';
import { runScript } from './launcher/say.mjs';

await runScript(async () => {
  await ensureNode();
  await ensureInstalled();
  await ensureBuilt();
  const args = ['node_modules/jest/bin/jest.js', '--testMatch', join(root, 'test/upgrade/record.ts'), '--runInBand'];
  process.exit(spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1);
});
