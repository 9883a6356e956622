// node scripts/mcp-conformance.mjs [scenario...]: the client scenarios of the MCP conformance suite against the registry's
// client, one after the other. A failure that test/conformance/expected-failures.yml does not name fails the run, and so
// does a success that it names.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ensureBuilt } from './launcher/build.mjs';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { root } from './launcher/project.mjs';
import { runScript, say } from './launcher/say.mjs';

const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const client = `${process.execPath} ${join(root, 'test/conformance/client.mjs')}`;
const drafts = /^auth\/(2025-03-26|resource-mismatch|offline-access)/;

await runScript(async () => {
  await ensureNode();
  await ensureInstalled();
  await ensureBuilt();
  const expected = parse(readFileSync(join(root, 'test/conformance/expected-failures.yml'), 'utf8')).client;
  const asked = process.argv.slice(2);
  const wrong = [];
  let passed = 0;
  const scenarios = asked.length > 0 ? asked : await clientScenarios();
  // The suite writes its findings where it runs.
  const cwd = mkdtempSync(join(tmpdir(), 'gatehouse-conformance-'));
  for (const scenario of scenarios) {
    const args = [suite, 'client', '--command', client, '--scenario', scenario, '--timeout', '60000'];
    const ok = spawnSync(process.execPath, args, { cwd, stdio: 'ignore' }).status === 0;
    if (ok) passed += 1;
    if (ok === expected.includes(scenario)) wrong.push(scenario);
    say(`${ok ? 'passes' : 'fails '} ${scenario}`);
  }
  rmSync(cwd, { recursive: true, force: true });
  say(`${passed} of ${scenarios.length} scenarios pass`);
  if (wrong.length > 0) say(`not as expected: ${wrong.join(', ')}`);
  process.exit(wrong.length > 0 ? 1 : 0);
});

/** Those of released protocols and extensions. */
async function clientScenarios() {
  const { stdout } = spawnSync(process.execPath, [suite, 'list'], { encoding: 'utf8' });
  const names = [...stdout.slice(stdout.indexOf('Client scenarios')).matchAll(/^ {2}- (\S+)/gm)].map(
    ([, name]) => name,
  );
  return names.filter((name) => !drafts.test(name));
}
