// Runs the client scenarios of the MCP conformance suite against the registry's client as built (dist/), at both
// revisions, and writes the table of docs/reference/mcp-conformance.md. With --check it only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './launcher/build.mjs';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { root } from './launcher/project.mjs';
import { runScript, say } from './launcher/say.mjs';

await runScript(async () => {
  await ensureNode();
  await ensureInstalled();
  await ensureBuilt({ console: false });
  const { runSuite, tableOf } = await import('../test/conformance/mcp-suite.ts');
  const results = await runSuite();
  const page = tableOf(results);
  const file = join(root, 'docs/reference/mcp-conformance.md');
  const isCheck = process.argv.includes('--check');
  if (isCheck && readFileSync(file, 'utf8') !== page)
    throw new Error(`${file} says something else: run without --check`);
  if (!isCheck) writeFileSync(file, page);
  for (const { scenario, revision, passes, output } of results)
    if (!passes) say(`${scenario} at ${revision} fails:\n${output}`);
  say(`${results.filter(({ passes }) => passes).length} of ${results.length} runs pass`);
});
