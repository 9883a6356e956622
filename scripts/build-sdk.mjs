// Builds the published package of libs/adapter-sdk into dist/packages/adapter-sdk.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { root } from './launcher/project.mjs';
import { runScript, say } from './launcher/say.mjs';

await runScript(async () => {
  await ensureNode();
  await ensureInstalled();
  const source = join(root, 'libs/adapter-sdk');
  const target = join(root, 'dist/packages/adapter-sdk');
  rmSync(target, { recursive: true, force: true });
  const tsc = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(source, 'tsconfig.package.json')],
    { cwd: root, stdio: 'inherit' },
  );
  if (tsc.status !== 0) throw new Error('The SDK does not compile (see above).');
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  // This condition resolves to the sources, which are not published.
  delete manifest.exports['.']['gatehouse-source'];
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(source, 'README.md'), join(target, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  cpSync(join(source, 'template'), join(target, 'template'), { recursive: true });
  chmodSync(join(target, 'dist/cli.js'), 0o755);
  say(`Built ${target}`);
});
