import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { composeProject, dockerAnswers } from './launcher/compose.mjs';
import { endLeftovers } from './launcher/leftovers.mjs';
import { runningLauncher } from './launcher/lock.mjs';
import { clearLeftover } from './launcher/postgres-cluster.mjs';
import { publicHome } from './launcher/postgres-identity.mjs';
import { dataDirFrom, root } from './launcher/project.mjs';
import { runScript, say } from './launcher/say.mjs';

await runScript(async () => {
  const dataDir = dataDirFrom(process.env, process.argv.slice(2));
  const running = runningLauncher(dataDir);
  if (running) throw new Error(`Gatehouse runs over ${dataDir} (pid ${running}): stop it first.`);
  // GATEHOUSE_DATA_DIR may name any folder; only one that a launcher created is deleted.
  if (!existsSync(join(dataDir, 'ports.json'))) return say(`Nothing to delete: no installation in ${dataDir}`);
  await endLeftovers(dataDir);
  const postgres = join(dataDir, 'postgres');
  for (const home of [postgres, publicHome(postgres)]) {
    await clearLeftover(join(home, 'cluster'));
    rmSync(home, { recursive: true, force: true });
  }
  if (dockerAnswers())
    spawnSync('docker', ['compose', '-p', composeProject(dataDir), 'down', '--volumes'], { cwd: root });
  rmSync(dataDir, { recursive: true, force: true });
  say(`Deleted ${dataDir}`);
});
