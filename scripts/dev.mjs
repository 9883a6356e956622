// npm run dev [-- --inspect[=FIRST_PORT]]: npm start, plus a rebuild and restart of what changes in apps/ and libs/.
import { shownCrashes } from './dev/crashes.mjs';
import { followSources } from './dev/follow-sources.mjs';
import { inspectorPorts } from './dev/inspector-ports.mjs';
import { keepConsoleServer } from './dev/console-server.mjs';
import { ensureBuilt } from './launcher/build.mjs';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { dataDirFrom } from './launcher/project.mjs';
import { runScript, say } from './launcher/say.mjs';
import { groupServices, hostedServices } from './launcher/service-group.mjs';
import { services } from './launcher/services.mjs';
import { runSystem } from './launcher/system.mjs';

await runScript(async () => {
  const args = process.argv.slice(2);
  const dataDir = dataDirFrom(process.env, args);
  const hosted = hostedServices(services, process.env, args);
  await ensureNode();
  if (!args.includes('--no-install')) await ensureInstalled();
  await ensureBuilt();
  const names = groupServices(services, hosted).map(({ name }) => name);
  const ports = await inspectorPorts(args, names, dataDir);
  const crashes = shownCrashes(dataDir);
  await runSystem({
    dataDir,
    env: process.env,
    services,
    hosted,
    flagsOf: (name) => (ports[name] ? [`--inspect=127.0.0.1:${ports[name]}`] : []),
    onEnd: (name) => void (names.includes(name) && crashes.show(name)),
    async onRunning(system) {
      const inspectors = names.flatMap((name) => (ports[name] ? [`${name} :${ports[name]}`] : []));
      if (inspectors.length > 0) say(`Inspectors on 127.0.0.1 (chrome://inspect): ${inspectors.join('  ')}`);
      const stopFollowing = followSources(system, crashes);
      const stopConsole = await keepConsoleServer(system);
      return async () => void (await Promise.all([stopFollowing(), stopConsole()]));
    },
  });
  process.exit(0);
});
