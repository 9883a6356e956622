// npm run docs: serves docs/ as a site while pages are edited; npm run docs:build: builds the site into dist/docs.
import { join } from 'node:path';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { root } from './launcher/project.mjs';
import { runScript } from './launcher/say.mjs';

await runScript(async () => {
  await ensureNode();
  await ensureInstalled();
  const { build, createServer } = await import('vitepress');
  const docs = join(root, 'docs');
  if (process.argv.includes('--build')) return build(docs);
  const server = await createServer(docs);
  await server.listen();
  server.printUrls();
});
