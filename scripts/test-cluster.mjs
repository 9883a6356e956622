// Disturbs an installation in a real Kubernetes while messages flow, and prints what was lost, refused and doubled:
// npm run test:cluster -- --help
import { table } from '../bench/table.mjs';
import { cells, faults, head } from './disturbance/tally.mjs';
import { disturb } from './disturbance/drive.mjs';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';

await ensureNode();
await ensureInstalled();
const { readOptions } = await import('./cluster/options.mjs');
const { connect } = await import('./cluster/installation.mjs');
const { rows } = await import('./cluster/rows.mjs');
const { matrix } = await import('./cluster/policies.mjs');
const { warnings } = await import('./cluster/warnings.mjs');

const options = readOptions();
const began = Date.now();
/** @param {string} text */
const say = (text) => console.log(`${((Date.now() - began) / 1000).toFixed(0).padStart(5)} s  ${text}`);
const only = options.only?.split(',');
const wanted = (/** @type {string} */ name) => !only || only.includes(name);
const chosen = rows.filter(({ name, needs }) => wanted(name) && (!needs || options[/** @type {'next'} */ (needs)]));
/** @type {string[]} */
const leftOut = rows
  .filter((row) => !chosen.includes(row))
  .map(({ title, needs }) => (needs && !options[/** @type {'next'} */ (needs)] ? `${title} (--${needs})` : title));

const on = await connect(options);
const [{ containerRuntimeVersion, osImage }] = on.nodes;
say(`Kubernetes ${on.version}, ${on.nodes.length} nodes of ${containerRuntimeVersion}, ${osImage}`);

/** @type {(string | number)[][]} */
const lines = [];
let failed = 0;
try {
  await on.install();
  say('applied, and all are ready');
  const { topologySpreadConstraints } = (await on.kubectl.json('deployment', 'router', '-n', 'gatehouse')).spec.template
    .spec;
  if (!topologySpreadConstraints[0].matchLabelKeys) leftOut.push('matchLabelKeys, which this Kubernetes does not know');
  for (const row of chosen) {
    await row.prepare?.(on);
    const load = { url: on.webhook, rate: options.rate, run: `${row.name}-${Date.now()}` };
    const strike = async () => void (await row.strike(on, options));
    const { seen, tookMs, problem } = await disturb({ observer: on.observer, load, strike });
    const together = await on.together();
    lines.push([...cells(row.title, seen, tookMs), together.length]);
    failed += faults(seen) + (problem ? 1 : 0);
    say(`${row.title}: ${JSON.stringify({ ...seen, together })} ${problem}`);
  }
  if (wanted('policies')) {
    const { pairs, open, wrong } = await matrix(on.kubectl, on.names);
    failed += wrong.length;
    say(
      `policies: ${pairs} pairs tried from inside the pods, ${open} open, ${wrong.length} otherwise than the policies say ${wrong.join('; ')}`,
    );
  } else leftOut.push('the matrix of the policies');
  console.log(`\n${table([...head, 'on one node'], lines)}\n`);
  console.log(`Left out: ${leftOut.join('; ') || 'nothing'}`);
  for (const line of await warnings(on.kubectl)) console.log(line);
} finally {
  if (!options.keep) await on.remove();
}
process.exit(failed > 0 ? 1 : 0);
