import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './launcher/build.mjs';
import { ensureNode } from './launcher/node.mjs';
import { dataDirFrom, root } from './launcher/project.mjs';
import { runScript, say } from './launcher/say.mjs';
import { addKek, ensureSecrets } from './launcher/secrets.mjs';
import { serviceEnv } from './launcher/service-env.mjs';
import { services } from './launcher/services.mjs';

/**
 * The vault's commands for an installation of `npm start`, whose keys and address it finds by itself; `new-key` makes a
 * key there, for which the CLI of the vault has no place.
 */
await runScript(async () => {
  const args = process.argv.slice(2);
  const dataDir = dataDirFrom(process.env, args);
  const portsFile = join(dataDir, 'ports.json');
  if (!existsSync(portsFile)) throw new Error(`There is no installation in ${dataDir}: npm start makes one.`);
  const at = args.indexOf('--data-dir');
  if (at >= 0) args.splice(at, 2);
  if (args[0] === 'new-key') {
    if (process.env.GATEHOUSE_KEK_RING) throw new Error('GATEHOUSE_KEK_RING is set: add the key there.');
    say(`Made ${addKek(dataDir)}: start Gatehouse anew, then run: node scripts/vault.mjs rotate`);
    return;
  }
  await ensureNode();
  await ensureBuilt();
  const ports = JSON.parse(readFileSync(portsFile, 'utf8'));
  const secrets = ensureSecrets(dataDir);
  // A vault that was not started anew would rewrap to the old key, and say that all is done.
  if (args[0] === 'rotate' && args.length === 1 && !process.env.GATEHOUSE_KEK_RING) args.push('--to', secrets.kek.kid);
  const envOf = serviceEnv({ services, ports, stores: () => null, secrets, env: process.env });
  const { status } = spawnSync(process.execPath, [join(root, 'dist/apps/credential-vault/src/cli/vault.js'), ...args], {
    env: envOf('credential-vault'),
    stdio: 'inherit',
  });
  process.exit(status ?? 1);
});
