// npm test [unit | integration | system] [patterns and options of Jest]: the specs of one kind, or all of them.
import { spawn } from 'node:child_process';
import { availableParallelism, constants } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from './launcher/build.mjs';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { cacheDir, root } from './launcher/project.mjs';
import { runScript } from './launcher/say.mjs';

/**
 * Two for each core and one more, since specs wait half of their time. At most 5: each has up to fifty connections to
 * the one Postgres, which allows 300.
 */
const workers = Math.min(5, 2 * availableParallelism() + 1);

await runScript(async () => {
  await ensureNode();
  await ensureInstalled();
  const [first = '', ...others] = process.argv.slice(2);
  const kind = ['unit', 'integration', 'system'].includes(first) ? first : undefined;
  const args = kind ? [...others, '--testMatch', `**/*.${kind}.spec.ts`] : process.argv.slice(2);
  if (kind === 'unit') process.env.GATEHOUSE_TEST_STORES = 'none';
  else await ensureBuilt();
  const saysWorkers = args.some((arg) => /^(--maxWorkers|-w|--runInBand|-i)(=|$)/.test(arg));
  const jest = spawn(
    process.execPath,
    [join(root, 'node_modules/jest/bin/jest.js'), ...(saysWorkers ? [] : [`--maxWorkers=${workers}`]), ...args],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(cacheDir, 'compiled') },
    },
  );
  for (const signal of /** @type {NodeJS.Signals[]} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => jest.kill(signal));
  const code = await new Promise((resolve, reject) => {
    jest.once('error', reject);
    jest.once('exit', (status, signal) => resolve(status ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
  process.exit(code);
});
