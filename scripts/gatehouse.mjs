#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './launcher/build.mjs';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { dataDirFrom, root } from './launcher/project.mjs';
import { runScript, say } from './launcher/say.mjs';
import { addKek, ensureSecrets } from './launcher/secrets.mjs';
import { serviceEnv } from './launcher/service-env.mjs';
import { services } from './launcher/services.mjs';

const entry = join(root, 'dist/apps/cli/src/gatehouse.js');

/**
 * The command line of a checkout: runs apps/cli in a suitable Node, for the installation of `npm start`. The vault's
 * commands need that installation's keys, and get them here.
 */
await runScript(async () => {
  const args = process.argv.slice(2);
  const dataDir = dataDirFrom(process.env, args);
  const ports = join(dataDir, 'ports.json');
  const ownKeys = args[0] === 'vault' && !process.env.VAULT_URL && existsSync(ports);
  if (ownKeys && args[1] === 'new-key' && !args.includes('--help')) {
    if (process.env.GATEHOUSE_KEK_RING) throw new Error('GATEHOUSE_KEK_RING is set: add the key there.');
    say(`Added the key ${addKek(dataDir)}: restart Gatehouse, then run: npx gatehouse vault rotate`);
    return;
  }
  await ensureNode();
  // The running services may be older than the sources, so nothing is rebuilt here: changes apply with the next npm
  // start.
  if (!existsSync(entry)) {
    await ensureInstalled();
    await ensureBuilt({ console: false });
  }
  const env = { ...process.env, GATEHOUSE_DATA_DIR: dataDir };
  if (ownKeys) Object.assign(env, vaultEnv(dataDir, ports, args));
  const { status } = spawnSync(process.execPath, ['--enable-source-maps', entry, ...args], { env, stdio: 'inherit' });
  process.exit(status ?? 1);
});

/** @param {string} dataDir @param {string} file @param {string[]} args */
function vaultEnv(dataDir, file, args) {
  const secrets = ensureSecrets(dataDir);
  // Without this, a vault that still runs with the old ring would rewrap to the old key and report success.
  const plain = args[1] === 'rotate' && !args.some((arg) => arg.startsWith('--to'));
  if (plain && !process.env.GATEHOUSE_KEK_RING) args.push('--to', secrets.kek.kid);
  const envOf = serviceEnv({
    services,
    ports: JSON.parse(readFileSync(file, 'utf8')),
    stores: () => null,
    secrets,
    env: process.env,
  });
  const { VAULT_URL, GATEHOUSE_SERVICE_KEY } = envOf('credential-vault');
  return { VAULT_URL, GATEHOUSE_SERVICE_KEY };
}
