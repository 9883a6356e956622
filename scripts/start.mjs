import { ensureBuilt } from './launcher/build.mjs';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { dataDirFrom } from './launcher/project.mjs';
import { runScript } from './launcher/say.mjs';
import { hostedServices } from './launcher/service-group.mjs';
import { services } from './launcher/services.mjs';
import { runSystem } from './launcher/system.mjs';

const usage = `npm start -- [options]

  --data-dir DIR  keeps the state there, instead of in .data
  --small         runs it in two processes
  --no-install    uses the packages that are there

Settings are variables of the environment: docs/reference/settings.md.
`;

/** @throws Error that names what is no option: a mistyped one would start another system than the one that was meant */
function requireKnown(/** @type {string[]} */ args) {
  const wrong = args.find(
    (arg, at) => args[at - 1] !== '--data-dir' && !['--data-dir', '--small', '--no-install'].includes(arg),
  );
  if (wrong !== undefined) throw new Error(`${wrong} is no option of npm start.\n\n${usage}`);
}

await runScript(async () => {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(usage);
    return;
  }
  requireKnown(args);
  const dataDir = dataDirFrom(process.env, args);
  const hosted = hostedServices(services, process.env, args);
  await ensureNode();
  if (!args.includes('--no-install')) await ensureInstalled();
  await ensureBuilt();
  await runSystem({ dataDir, env: process.env, services, hosted });
  process.exit(0);
});
