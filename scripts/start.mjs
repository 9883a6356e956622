import { ensureBuilt } from './launcher/build.mjs';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { dataDirFrom } from './launcher/project.mjs';
import { runScript } from './launcher/say.mjs';
import { hostedServices } from './launcher/service-group.mjs';
import { services } from './launcher/services.mjs';
import { runSystem } from './launcher/system.mjs';

await runScript(async () => {
  const args = process.argv.slice(2);
  const dataDir = dataDirFrom(process.env, args);
  const hosted = hostedServices(services, process.env, args);
  await ensureNode();
  if (!args.includes('--no-install')) await ensureInstalled();
  await ensureBuilt();
  await runSystem({ dataDir, env: process.env, services, hosted });
  process.exit(0);
});
