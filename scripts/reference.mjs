// Writes docs/reference from the code: settings, the API, jobs, tables and what channels keep. With --check it only
// compares; with --print NAME ... it shows those pages instead.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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
  const [
    { apiPage },
    { settingsPage },
    { jobsPage },
    { tablesPage },
    { sendersPage },
    { channelsPage },
    { inboundPage },
    { outboundPage },
  ] = await Promise.all([
    import('./reference/api.mjs'),
    import('./reference/settings.mjs'),
    import('./reference/jobs.mjs'),
    import('./reference/tables.mjs'),
    import('./reference/senders.mjs'),
    import('./reference/channels.mjs'),
    import('./reference/inbound.mjs'),
    import('./reference/outbound.mjs'),
  ]);
  /** @type {Record<string, () => string | Promise<string>>} */
  const makers = {
    settings: settingsPage,
    jobs: jobsPage,
    tables: tablesPage,
    api: apiPage,
    senders: sendersPage,
    channels: channelsPage,
    inbound: inboundPage,
    outbound: outboundPage,
  };
  const asked = process.argv.includes('--print') ? process.argv.slice(process.argv.indexOf('--print') + 1) : undefined;
  for (const name of asked ?? []) {
    const make = makers[name];
    if (!make) throw new Error(`${name}: no such page. There are ${Object.keys(makers).join(', ')}`);
    process.stdout.write(`${(await make()).trimEnd()}\n`);
  }
  if (asked) process.exit(0);
  /** @type {Record<string, string>} */
  const pages = {};
  for (const [name, make] of Object.entries(makers)) pages[`docs/reference/${name}.md`] = await make();
  const stale = Object.entries(pages).flatMap(([path, made]) => {
    const page = `<!-- Made by \`node scripts/reference.mjs\`: do not edit. -->\n\n${made.trimEnd()}\n`;
    const file = join(root, path);
    if (existsSync(file) && readFileSync(file, 'utf8') === page) return [];
    if (!process.argv.includes('--check')) writeFileSync(file, page);
    return [path];
  });
  if (stale.length > 0 && process.argv.includes('--check'))
    throw new Error(`${stale.join(', ')}: stale. Run node scripts/reference.mjs`);
  say(stale.length > 0 ? `Wrote ${stale.join(', ')}` : 'The reference is up to date.');
  process.exit(0);
});
