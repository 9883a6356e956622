import { join } from 'node:path';
import { rebuild } from '../launcher/build.mjs';
import { consoleDir } from '../launcher/build-console.mjs';
import { root } from '../launcher/project.mjs';
import { say } from '../launcher/say.mjs';
import { originOf } from '../launcher/service-env.mjs';
import { logFileOf, waitReady } from '../launcher/service-process.mjs';
import { builtFiles } from './built-files.mjs';
import { changedFiles, processesToRestart } from './module-graph.mjs';
import { watchFolders } from './watch-folders.mjs';

/** An editor saves in several steps, and a branch switch changes many files. */
const SETTLE_MS = 100;
const migration = /\/src\/db\/\d{13}-/;

/**
 * Rebuilds what changes in apps/ and libs/ and restarts the processes that import it. Sources that do not compile
 * change nothing.
 * @param {import('../launcher/system.mjs').RunningSystem} system
 * @param {{forget: (name: string) => void}} crashes those that were shown
 * @returns {() => Promise<void>} stops it
 */
export function followSources({ dataDir, supervisor, groups, description, migrate, signal }, crashes) {
  let before = builtFiles();
  /** Processes to restart. They are kept when a step before the restart fails. @type {Set<string>} */
  const due = new Set();
  let hasMigration = false;
  /** @type {Map<string, AbortController>} */
  const waits = new Map();

  async function build() {
    const started = Date.now();
    const { built, problems } = await rebuild();
    // Ctrl-C ends the compiler too. That is not a compile error.
    if (signal.aborted) return;
    if (problems !== null) return say(`The sources do not compile. The running system stays unchanged:\n${problems}`);
    if (!built) return;
    const after = builtFiles();
    const changed = changedFiles(before, after);
    for (const name of processesToRestart(groups, before, after)) due.add(name);
    hasMigration ||= changed.some((path) => migration.test(path));
    before = after;
    const which = due.size > 0 ? `restarting ${[...due].join(', ')}` : 'no running process imports the changed code';
    say(`Built in ${secondsSince(started)} (${summary(changed)}): ${which}`);
    if (hasMigration) await migrateFirst();
    const names = [...due];
    due.clear();
    await Promise.all(names.map((name) => restart(name, started)));
  }

  async function migrateFirst() {
    say('Migrating the database …');
    await migrate();
    hasMigration = false;
  }

  /** @param {string} name @param {number} started */
  async function restart(name, started) {
    waits.get(name)?.abort();
    const wait = new AbortController();
    waits.set(name, wait);
    crashes.forget(name);
    await supervisor.restart(name);
    const own = groups.find((group) => group.name === name)?.services ?? [];
    const ready = own.map((service) => {
      const port = description.services.find((each) => each.name === service.name)?.port ?? 0;
      return waitReady({
        name: service.name,
        origin: originOf(port),
        logFile: logFileOf(dataDir, name),
        signal: AbortSignal.any([signal, wait.signal]),
      });
    });
    // Not awaited: a service that does not start must not delay the next change.
    Promise.all(ready).then(
      () => say(`${name} runs the new code, ${secondsSince(started)} after the change`),
      // It is being restarted again, or the system stops.
      () => undefined,
    );
  }

  /** @type {NodeJS.Timeout | undefined} */
  let settling;
  let building = Promise.resolve();
  function sourceChanged() {
    clearTimeout(settling);
    settling = setTimeout(() => {
      building = building.then(build).catch(report);
    }, SETTLE_MS);
  }
  const endWatching = watchFolders(
    ['apps', 'libs'].map((folder) => join(root, folder)),
    (path) => {
      if (!path.startsWith(consoleDir)) sourceChanged();
    },
    (error) => say(`Some changes can no longer be detected: ${error.message}`),
  );
  say('Watching apps/ and libs/: changes are built, and the processes that import them are restarted');
  // Sources may have changed while the system started.
  sourceChanged();
  return async () => {
    endWatching();
    clearTimeout(settling);
    await building;
  };
}

/** @param {unknown} error */
function report(error) {
  // A temporary file of an editor may be created and removed again before it is read. The next event covers it.
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
  say(error instanceof Error ? error.message : String(error));
}

/** @param {number} started */
const secondsSince = (started) => `${((Date.now() - started) / 1000).toFixed(1)} s`;

/** @param {string[]} changed */
function summary(changed) {
  if (changed.length === 0) return 'no output changed';
  return changed.length > 3 ? `${changed.length} files` : changed.join(', ');
}
