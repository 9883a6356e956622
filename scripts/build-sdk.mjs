// Builds the published package of libs/adapter-sdk into dist/packages/adapter-sdk.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { root } from './launcher/project.mjs';
import { runScript, say } from './launcher/say.mjs';

await runScript(async () => {
  await ensureNode();
  await ensureInstalled();
  const source = join(root, 'libs/adapter-sdk');
  const packages = join(root, 'dist/packages');
  const target = join(packages, 'adapter-sdk');
  mkdirSync(packages, { recursive: true });
  // Beside the one that is there: whoever packs it, or builds it at the same moment, sees a whole one.
  const made = mkdtempSync(join(packages, '.adapter-sdk-'));
  const tsc = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/typescript/bin/tsc'),
      '-p',
      join(source, 'tsconfig.package.json'),
      '--outDir',
      join(made, 'dist'),
    ],
    { cwd: root, stdio: 'inherit' },
  );
  if (tsc.status !== 0) throw new Error('The SDK does not compile (see above).');
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  // This condition resolves to the sources, which are not published.
  delete manifest.exports['.']['gatehouse-source'];
  writeFileSync(join(made, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(source, 'README.md'), join(made, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(made, 'LICENSE'));
  cpSync(join(source, 'template'), join(made, 'template'), { recursive: true });
  chmodSync(join(made, 'dist/cli.js'), 0o755);
  chmodSync(made, 0o755);
  putInPlace(made, target);
  say(`Built ${target}`);
});

/**
 * @param {string} made
 * @param {string} target of another build, too, which may put its own there between the two steps
 */
function putInPlace(made, target) {
  for (let tries = 0; ; tries += 1) {
    const before = `${made}-before-${tries}`;
    try {
      if (existsSync(target)) renameSync(target, before);
      renameSync(made, target);
      return;
    } catch (error) {
      if (tries === 5) throw error;
    } finally {
      rmSync(before, { recursive: true, force: true });
    }
  }
}
