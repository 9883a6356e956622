// npm run chaos [-- --rate 100 redis postgres …]: runs the scenarios whose names contain one of the words, or all of them.
import { parseArgs } from 'node:util';
import { ensureBuilt } from './launcher/build.mjs';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { runScript } from './launcher/say.mjs';

const seconds = 20;
const settleMs = 60_000;
const secret = 'a-signing-secret-for-the-chaos-run';

await runScript(async () => {
  await ensureNode();
  await ensureInstalled();
  await ensureBuilt();
  const { faults, startFickleAdapter } = await import('../bench/chaos/faults.mjs');
  const { startInstallation } = await import('../bench/chaos/installation.mjs');
  const { runScenario } = await import('../bench/chaos/scenario.mjs');
  const { signedApp } = await import('../bench/gatehouse.mjs');
  const { startHelper } = await import('../bench/processes.mjs');
  const { shown, table } = await import('../bench/table.mjs');

  const { values, positionals } = parseArgs({
    options: { rate: { type: 'string', default: '200' } },
    allowPositionals: true,
  });
  const rate = Number(values.rate);
  if (!Number.isInteger(rate) || rate < 1) throw new Error(`--rate is messages a second, at least 1: ${values.rate}`);
  const words = positionals.map((word) => word.toLowerCase());
  const chosen = faults.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word)),
  );
  if (chosen.length === 0)
    throw new Error(`No scenario has that in its name: ${faults.map(({ name }) => name).join(', ')}`);

  const adapterSecret = `whsec_${Buffer.from('the secret of calls to adapters!').toString('base64')}`;
  const sink = await startHelper('sink.mjs');
  const sinkOrigin = `http://127.0.0.1:${sink.ready.port}`;
  const adapter = await startFickleAdapter({ sinkUrl: `${sinkOrigin}/replies`, secret: adapterSecret });
  const installation = await startInstallation({
    GATEHOUSE_EGRESS_ALLOW: '127.0.0.0/8',
    GATEHOUSE_ADAPTER_SECRET: adapterSecret,
    ADAPTER_TIMEOUT_MS: '2000',
  });
  const outcomes = [];
  try {
    const workflow = await installation.api('POST', '/workflows', { name: 'Chaos', instructions: 'reply: got it' });
    const builtin = await signedApp(installation, { secret, replyAddress: `${sinkOrigin}/replies` });
    const registered = await installation.api('POST', '/adapters', { url: adapter.url });
    const made = await installation.api('POST', '/apps', {
      name: 'Fickle',
      kind: 'adapter',
      adapter_id: registered.id,
    });
    await installation.api('POST', `/apps/${made.id}/verify`);
    await installation.api('PUT', `/channels/${made.id}`, { unknown_senders: 'open' });
    const urls = { builtin: builtin.url, adapter: `${installation.urlOf('webhook-ingress')}${made.webhook_path}` };
    for (const fault of chosen) {
      const app = { url: urls[fault.route], secret, workflowId: workflow.id };
      const outcome = await runScenario({
        fault,
        installation,
        adapter,
        sink: sinkOrigin,
        app,
        rate,
        seconds,
        settleMs,
      });
      process.stdout.write(`  ${JSON.stringify(outcome)}\n`);
      outcomes.push(outcome);
    }
  } finally {
    await installation.close();
    await adapter.stop();
    await sink.stop();
  }
  const rows = outcomes.map((each) => [
    each.name,
    each.offered,
    each.acknowledged,
    each.lost + each.stuck,
    each.ended,
    each.doubled,
    each.repeated,
    `${shown(each.recoveredMs / 1000)} s`,
    `${shown(each.worstMs / 1000)} s`,
  ]);
  const head = [
    'fault',
    'offered',
    'acknowledged',
    'lost',
    'dead letters',
    'doubled',
    'repeated',
    'recovered after',
    'slowest message',
  ];
  process.stdout.write(`\n${rate} messages/s for ${seconds} s each\n\n${table(head, rows)}\n`);
  process.exit(outcomes.some(({ lost, stuck, doubled }) => lost + stuck + doubled > 0) ? 1 : 0);
});
