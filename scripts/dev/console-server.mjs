import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { consoleDir } from '../launcher/build-console.mjs';
import { exitOf, stopChild } from '../launcher/child.mjs';
import { root } from '../launcher/project.mjs';
import { say } from '../launcher/say.mjs';

const STOP_MS = 5_000;

/**
 * Vite's development server over the pages of apps/console, signed in by the installation's key: a change shows at once.
 * What the portal serves stays what was built when the system started.
 * @param {import('../launcher/system.mjs').RunningSystem} system
 * @returns {Promise<() => Promise<void>>} ends it
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
    // In a group of its own, as the services: a Ctrl-C in the terminal is for the launcher.
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
