import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { consoleDir } from '../launcher/build-console.mjs';
import { exitOf, stopChild } from '../launcher/child.mjs';
import { root } from '../launcher/project.mjs';
import { say } from '../launcher/say.mjs';

const STOP_MS = 5_000;

/**
 * Runs Vite's development server for apps/console, signed in with the installation's key, so that a change shows at
 * once. The portal keeps serving the pages that were built when the system started.
 * @param {import('../launcher/system.mjs').RunningSystem} system
 * @returns {Promise<() => Promise<void>>} stops it
 */
export async function keepConsoleServer({ supervisor, description }) {
  const env = {
    ...process.env,
    GATEHOUSE_URL: description.base_url,
    ...(description.api_key ? { GATEHOUSE_API_KEY: description.api_key } : {}),
  };
  say('Vite serves apps/console as it changes:');
  await supervisor.keep('console', async () => {
    const args = [join(root, 'node_modules/vite/bin/vite.js'), consoleDir, '--clearScreen', 'false'];
    // In a process group of its own, like the services: the launcher handles Ctrl-C in the terminal.
    const child = spawn(process.execPath, args, {
      cwd: root,
      env,
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const exited = exitOf(child);
    const pid = child.pid ?? 0;
    const stop = () =>
      stopChild(pid, exited, [
        { signal: 'SIGTERM', waitMs: STOP_MS },
        { signal: 'SIGKILL', waitMs: STOP_MS, group: true },
      ]);
    return { pid, exited, stop };
  });
  return () => supervisor.stop(['console']);
}
