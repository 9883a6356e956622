import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CliError, exits } from '../api/cli-error.js';
import type { Command, Option } from '../call/command.js';

/** Keys belong to the installation. They are managed with the vault's own service key, not with an API key. */
const vaultCli = fileURLToPath(new URL('../../../credential-vault/src/cli/vault.js', import.meta.url));

const needs =
  "Needs `VAULT_URL` and the vault's own `GATEHOUSE_SERVICE_KEY`; with an `npm start` installation it finds them itself.";

function command(
  action: string,
  about: { summary: string; options?: Record<string, Option>; examples: string[]; notes?: string[] },
): Command {
  return {
    name: `vault ${action}`,
    ...about,
    notes: [...(about.notes ?? []), needs],
    run: async (call) => {
      const to = call.value('to');
      requireCommands(call.env);
      if (!call.env['VAULT_URL'] || !call.env['GATEHOUSE_SERVICE_KEY']) {
        const toDo =
          'Run it where the vault runs: kubectl exec deploy/credential-vault -- node dist/apps/cli/src/gatehouse.js vault ...';
        throw new CliError(
          exits.usage,
          'The address of the vault is not known.',
          'VAULT_URL, GATEHOUSE_SERVICE_KEY',
          toDo,
          'no_vault',
        );
      }
      const args = [vaultCli, action, ...(to ? ['--to', to] : [])];
      const { status } = spawnSync(process.execPath, args, { env: call.env, stdio: 'inherit' });
      return status === 0 ? exits.done : exits.unwell;
    },
  };
}

/** Each image has what its service runs. @throws CliError `no_vault` */
function requireCommands(env: NodeJS.ProcessEnv): void {
  if (existsSync(vaultCli)) return;
  const here = env['APP'] ? `This is the image of ${env['APP']}, and it` : 'This installation';
  const run = 'node dist/apps/cli/src/gatehouse.js vault ...';
  const toDo = `Run it where the vault runs: docker compose exec credential-vault ${run}, or kubectl exec deploy/credential-vault -- ${run}`;
  throw new CliError(exits.usage, `${here} does not have the commands of the vault.`, vaultCli, toDo, 'no_vault');
}

export const vaultCommands = [
  command('status', {
    summary: 'Shows which key wraps how many data keys',
    examples: ['gatehouse vault status'],
  }),
  command('rotate', {
    summary: 'Wraps every data key under the primary key; continues where an earlier run stopped',
    options: { to: { value: 'KID', help: 'Does nothing unless this key is the primary key' } },
    notes: ['Exit code 1: some data keys cannot be opened, or another key is primary.'],
    examples: ['gatehouse vault rotate --to kek-2026'],
  }),
  command('reseal', {
    summary: 'Seals all stored fields under new data keys, after a suspected compromise',
    examples: ['gatehouse vault reseal'],
  }),
  {
    name: 'vault new-key',
    summary: 'Adds a new primary key to an `npm start` installation; restart it, then rotate',
    examples: ['gatehouse vault new-key'],
    run: async () => {
      const toDo = 'Add the key there and restart the vault. Name an npm start installation with --data-dir.';
      throw new CliError(exits.usage, 'The keys are in GATEHOUSE_KEK_RING.', 'GATEHOUSE_KEK_RING', toDo, 'own_ring');
    },
  } satisfies Command,
];
