// npm run bench [-- ack e2e adapter-call python turns] [--quick]
import { ensureBuilt } from './launcher/build.mjs';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { runScript } from './launcher/say.mjs';

const known = ['ack', 'e2e', 'adapter-call', 'python', 'turns'];

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
  if (chosen.includes('python')) {
    const { benchPython } = await import('../bench/python.mjs');
    const options = quick ? { calls: 300, seconds: 2, kills: 3 } : { calls: 2_000, seconds: 5, kills: 7 };
    print('Python tools: calls by HTTP, children replaced', await benchPython(options));
  }
  if (chosen.includes('turns')) {
    const { benchTurns } = await import('../bench/turns.mjs');
    const options = { turns: quick ? 40 : 250, steps: 8 };
    print('Turns: what the engine adds to each step', await benchTurns(options));
  }
  process.exit(0);
});

/** @param {string} title @param {string} text */
function print(title, text) {
  process.stdout.write(`\n${title}\n\n${text}\n`);
}
