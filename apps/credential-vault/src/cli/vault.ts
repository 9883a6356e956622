import { Problem, ServiceClient, ServiceTokens } from '#libs/service-kit';
import { env } from './env.js';
import { keyStatus, resealAll, rotate } from './key-commands.js';

const usage = `usage: vault <command>
  status            which key wraps how many data keys
  rotate [--to KID] wrap every data key under the primary key; with KID: only if KID is the primary key
  reseal            seal all stored fields under new data keys, after a suspected compromise
Needs VAULT_URL and the vault's own GATEHOUSE_SERVICE_KEY.`;

/** Longer than the vault's own limit for one request of a rotation. */
const timeoutMs = 30_000;

const [command, flag, value] = process.argv.slice(2);
const tokens = new ServiceTokens(env.GATEHOUSE_SERVICE_KEY, 'credential-vault');
const vault = new ServiceClient('credential-vault', env.VAULT_URL, tokens, timeoutMs);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

try {
  if (command === 'status') await keyStatus(vault, say);
  else if (command === 'rotate' && flag === undefined) await rotate(vault, say, null);
  else if (command === 'rotate' && flag === '--to' && value) await rotate(vault, say, value);
  else if (command === 'reseal') await resealAll(vault, say, new Date());
  else throw new Problem(400, 'usage', usage);
} catch (error) {
  process.stderr.write(`${error instanceof Problem ? error.detail : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await vault.close();
}
