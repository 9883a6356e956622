// Records this release for the tests of later ones in test/upgrade/v<version>: its migrations' statements, and an
// installation's rows and jobs. Run it for each release before its tag, and until then whenever a migration changes.
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
