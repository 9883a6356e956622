// npm run bench [-- ack e2e adapter-call refresh refresh-due vault] [--quick]
import { ensureBuilt } from './launcher/build.mjs';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { runScript } from './launcher/say.mjs';

const known = ['ack', 'e2e', 'adapter-call', 'refresh', 'refresh-due', 'vault'];

await runScript(async () => {
  await ensureNode();
  await ensureInstalled();
  await ensureBuilt();
  const args = process.argv.slice(2);
  const quick = args.includes('--quick');
  const asked = args.filter((arg) => !arg.startsWith('--'));
  const wrong = asked.filter((name) => !known.includes(name));
  if (wrong.length > 0) throw new Error(`There is no benchmark ${wrong.join(', ')}: ${known.join(', ')}`);
  const chosen = asked.length > 0 ? asked : known;
  if (chosen.includes('ack')) {
    const { benchAck } = await import('../bench/ack.mjs');
    print(
      'Ack: 64 connections, 1 KB, signed',
      await benchAck({ rounds: quick ? 2 : 5, seconds: quick ? 3 : 6, bytes: 1024 }),
    );
  }
  if (chosen.includes('e2e')) {
    const { benchE2e } = await import('../bench/e2e.mjs');
    const options = quick
      ? { seconds: 8, burst: 5_000, sizes: [1024] }
      : { seconds: 20, burst: 20_000, sizes: [1024, 4096, 16_384] };
    print('End to end: webhook, workflow, turn, HTTP delivery', await benchE2e(options));
  }
  if (chosen.includes('refresh')) {
    const { benchRefresh } = await import('../bench/refresh.mjs');
    print('Refreshing a token that rotates', await benchRefresh({ callers: quick ? 40 : 200 }));
  }
  if (chosen.includes('vault')) {
    const { benchVault } = await import('../bench/vault.mjs');
    print(
      'Vault: resolving, and a rotation of the KEK',
      await benchVault(quick ? { credentials: 20_000, seconds: 3 } : { credentials: 100_000, seconds: 5 }),
    );
  }
  if (chosen.includes('refresh-due')) {
    const { benchRefreshDue } = await import('../bench/refresh-due.mjs');
    const options = quick ? { grants: 1_000, maxSeconds: 60 } : { grants: 10_000, maxSeconds: 240 };
    print('Grants that are due in one minute', await benchRefreshDue(options));
  }
  process.exit(0);
});

/** @param {string} title @param {string} text */
function print(title, text) {
  process.stdout.write(`\n${title}\n\n${text}\n`);
}
