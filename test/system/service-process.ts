import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../scripts/launcher/project.mjs';

/** A running service. */
export interface ServiceProcess {
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Lets it drain; ends it when it does not. */
  stop(): Promise<void>;
}

const drainMs = 10_000;

/** In the same process group, so that a Ctrl-C that ends the tests ends it too. */
export function spawnService(entry: string, env: NodeJS.ProcessEnv, logFile: string): ServiceProcess {
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, ['--enable-source-maps', join(root, entry)], {
    cwd: root,
    env,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  return {
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    stop: async () => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), drainMs);
      await exited;
      clearTimeout(timer);
    },
  };
}
