// npm run docs: the pages of docs/ as a site while they are written; npm run docs:build: the site, in dist/docs.
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
