// Disturbs an installation by Docker Compose while messages flow, and prints what was lost, refused and doubled:
// npm run test:compose -- --help
import { execFileSync } from 'node:child_process';
import { table } from '../bench/table.mjs';
import { disturb } from './disturbance/drive.mjs';
import { cells, faults, head } from './disturbance/tally.mjs';
import { dockerAnswers } from './launcher/compose.mjs';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';

await ensureNode();
await ensureInstalled();
const { readOptions } = await import('./compose/options.mjs');
const { install, PROJECT } = await import('./compose/installation.mjs');
const { rowsOf } = await import('./compose/rows.mjs');
const { watch } = await import('./compose/witness.mjs');

const options = readOptions();
if (!dockerAnswers()) {
  console.log('No Docker engine answers: nothing is tested.');
  process.exit(0);
}
const began = Date.now();
/** @param {string} text */
const say = (text) => console.log(`${((Date.now() - began) / 1000).toFixed(0).padStart(5)} s  ${text}`);
const docker = (/** @type {string[]} */ ...args) => execFileSync('docker', args, { encoding: 'utf8' }).trim();
say(
  `Docker Engine ${docker('version', '--format', '{{.Server.Version}}')}, Compose ${docker('compose', 'version', '--short')}`,
);

const witness = watch(PROJECT);
const on = await install(options);
const rows = rowsOf(on.names).filter(({ proxied }) => !(proxied && options.plain));
const chosen = rows.filter(({ name, proxied }) => proxied || !options.only || options.only.includes(name));
/** @type {(string | number)[][]} */
const lines = [];
let failed = 0;
try {
  say(`all are healthy, ${((await on.begin()) / 1_000).toFixed(0)} s after docker compose up`);
  for (const { name, title, may = options.plain ? Infinity : 0, prepare, strike, whole } of chosen) {
    const prepared = await prepare?.(on);
    const load = { url: on.webhook, ...prepared, rate: options.rate, run: `${name}-${Date.now()}` };
    const struck = async () => void (await strike(on, prepared));
    const { seen, tookMs, problem } = await disturb({ observer: on.observer, load, strike: struck });
    if (whole && !problem) await on.whole();
    lines.push(cells(title, seen, tookMs));
    failed += faults(seen) + Math.max(0, seen.refused - may) + (problem ? 1 : 0);
    say(`${title}: ${JSON.stringify(seen)} ${problem}`);
  }
} finally {
  const { warnings, endings } = witness.report();
  console.log(`\n${table(head, lines)}\n`);
  console.log(`Left out: ${rows.flatMap((row) => (chosen.includes(row) ? [] : [row.title])).join('; ') || 'nothing'}`);
  console.log(
    ['Containers that ended otherwise than they should:', ...(endings.length > 0 ? endings : ['none'])].join('\n'),
  );
  console.log(['Warnings of the services:', ...(warnings.length > 0 ? warnings : ['none'])].join('\n'));
  witness.end();
  if (!options.keep) await on.remove();
}
process.exit(failed > 0 ? 1 : 0);
