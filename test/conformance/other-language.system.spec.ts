import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describeConformance, loadFixtures } from '#libs/adapter-sdk';

const root = join(import.meta.dirname, '../..');
const hasPython = spawnSync('python3', ['--version']).status === 0;

if (hasPython) {
  await describeConformance(
    { describe, it },
    { fixtures: loadFixtures(join(root, 'libs/adapter-sdk/template/conformance')), start: startPython },
  );
} else {
  it.skip('an adapter without SDK keeps the contract (there is no python3 on this machine)', () => undefined);
}

async function startPython(providerUrl: string) {
  const adapter = spawn('python3', [join(root, 'docs/examples/acme_adapter.py')], {
    env: { PATH: process.env.PATH, PORT: '0', ACME_API_URL: providerUrl, ACME_TIMEOUT_SECONDS: '8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  adapter.stderr.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
  const exited = new Promise<void>((resolve) => adapter.once('exit', () => resolve()));
  for await (const line of createInterface({ input: adapter.stdout })) {
    const url = /listening on (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    return {
      url,
      logs: () => log,
      close: async () => {
        adapter.kill();
        await exited;
      },
    };
  }
  throw new Error(`the Python adapter did not start: ${log}`);
}
