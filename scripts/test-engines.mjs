// npm run test:engines [-- cluster sentinel …]: the faults of highly available stores under load, on engines from the
// distribution's packages; rows whose names contain one of the words, or all of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './launcher/build.mjs';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { runScript, say } from './launcher/say.mjs';

const rate = 50;
const seconds = 30;
const settleMs = 60_000;
/** More than wait in a hold of eight seconds. */
const connections = 600;
const secret = 'a-signing-secret-for-the-engines';

await runScript(async () => {
  await ensureNode();
  await ensureInstalled();
  await ensureBuilt();
  const { startInstallation } = await import('../bench/chaos/installation.mjs');
  const { runScenario } = await import('../bench/chaos/scenario.mjs');
  const { startCluster, startOne, startSentinels, startShardedCluster } = await import('../bench/engines/redis.mjs');
  const { startSecond } = await import('../bench/engines/second-process.mjs');
  const { startPatroni, startPgBouncer } = await import('../bench/engines/postgres.mjs');
  const { signedApp } = await import('../bench/gatehouse.mjs');
  const { startHelper } = await import('../bench/processes.mjs');
  const { shown, table } = await import('../bench/table.mjs');

  const words = process.argv.slice(2).map((word) => word.toLowerCase());
  const engines = [
    { name: 'One Redis', start: startOne },
    { name: 'Redis, three Sentinels', start: startSentinels },
    { name: 'Redis Cluster', start: startCluster },
    { name: 'Redis, four shards', start: startShardedCluster },
    { name: 'Patroni', start: startPatroni },
    { name: 'PgBouncer', start: startPgBouncer },
  ];
  /**
   * A signed App whose replies reach the sink, and a workflow for its messages.
   * @param {import('../bench/chaos/installation.mjs').Installation} installation
   * @param {string} sinkOrigin
   * @param {string} [projectId]
   */
  async function appIn({ api, urlOf }, sinkOrigin, projectId) {
    /** @type {typeof api} */
    const inIt = (method, path, body) => api(method, path, body, projectId);
    const workflow = await inIt('POST', '/workflows', { name: 'Engines', instructions: 'reply: got it' });
    const { url } = await signedApp({ api: inIt, urlOf }, { secret, replyAddress: `${sinkOrigin}/replies` });
    return { url, workflowId: workflow.id };
  }

  /** @type {(string | number)[][]} */
  const rows = [];
  let bad = 0;
  for (const engine of engines) {
    if (words.length > 0 && !words.some((word) => engine.name.toLowerCase().includes(word))) continue;
    // Where the user that Postgres runs as can reach it.
    const dir = mkdtempSync(join('/var/tmp', 'gatehouse-engines-'));
    /** @type {import('../bench/engines/redis.mjs').Engine | {missing: string}} */
    const started = await engine.start(dir);
    if ('missing' in started) {
      rows.push([engine.name, `left out: ${started.missing}`, '', '', '', '', '', '', '', '', '']);
      rmSync(dir, { recursive: true, force: true });
      continue;
    }
    say(`${started.name}: ${started.rows.length} rows of about a minute`);
    const sink = await startHelper('sink.mjs');
    const sinkOrigin = `http://127.0.0.1:${sink.ready.port}`;
    /** @type {Awaited<ReturnType<typeof startInstallation>> | null} */
    let installation = null;
    /** @type {import('./launcher/child.mjs').Running[]} */
    const copies = [];
    try {
      const env = { GATEHOUSE_EGRESS_ALLOW: '127.0.0.0/8', ...started.env };
      installation = await startInstallation(env, { name: 'engines' });
      for (const name of started.copies ?? []) copies.push(await startSecond(installation, name));
      const { url, workflowId } = await appIn(installation, sinkOrigin);
      const others = [];
      for (let number = 1; number <= (started.projects ?? 0); number += 1) {
        const { id } = await installation.api('POST', '/projects', { name: `Project ${number}` });
        const app = await appIn(installation, sinkOrigin, id);
        others.push({ projectId: id, path: new URL(app.url).pathname, fields: { workflow_id: app.workflowId } });
      }
      for (const { name, strike } of started.rows) {
        const rest = words.filter((word) => !engine.name.toLowerCase().includes(word));
        if (rest.length > 0 && !rest.some((word) => name.toLowerCase().includes(word))) continue;
        const outcome = await runScenario({
          fault: { name, route: 'builtin', strike },
          installation,
          adapter: null,
          sink: sinkOrigin,
          app: { url, secret, workflowId },
          others,
          rate,
          seconds,
          settleMs,
          connections,
        });
        process.stdout.write(`  ${JSON.stringify(outcome)}\n`);
        const { sent, acknowledged, lost, stuck, doubled, repeated, tailMs, outageMs } = outcome;
        bad += lost + stuck + doubled;
        const refused = sent - acknowledged;
        const [last, late] = [outageMs, tailMs].map((ms) => shown(ms / 1000));
        rows.push([
          started.name,
          name,
          sent,
          acknowledged,
          lost,
          doubled,
          repeated,
          refused,
          stuck,
          last ?? '',
          late ?? '',
        ]);
      }
    } finally {
      await Promise.all(copies.map((copy) => copy.stop()));
      await installation?.close();
      await sink.stop();
      await started.close();
      rmSync(dir, { recursive: true, force: true });
    }
  }
  const counts = ['sent', 'acknowledged', 'lost', 'doubled', 'repeated', 'refused', 'stuck'];
  const head = ['engine', 'row', ...counts, 'last s', 'late s'];
  process.stdout.write(`\n${rate} messages/s for ${seconds} s each\n\n${table(head, rows)}\n`);
  process.exit(bad > 0 ? 1 : 0);
});
