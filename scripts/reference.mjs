// Writes docs/reference from the code: settings, the API, jobs and tables; with --check it only compares.
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
  ] = await Promise.all([
    import('./reference/api.mjs'),
    import('./reference/settings.mjs'),
    import('./reference/jobs.mjs'),
    import('./reference/tables.mjs'),
    import('./reference/senders.mjs'),
    import('./reference/channels.mjs'),
    import('./reference/inbound.mjs'),
  ]);
  const pages = {
    'docs/reference/settings.md': settingsPage(),
    'docs/reference/jobs.md': jobsPage(),
    'docs/reference/tables.md': await tablesPage(),
    'docs/reference/api.md': await apiPage(),
    'docs/reference/senders.md': await sendersPage(),
    'docs/reference/channels.md': await channelsPage(),
    'docs/reference/inbound.md': inboundPage(),
  };
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
