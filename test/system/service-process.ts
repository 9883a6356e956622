import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../scripts/launcher/project.mjs';

/** A running service. */
export interface ServiceProcess {
  /** Kills it at once, as a crash would. */
  kill(): Promise<void>;
  /** Gives it no CPU, as an overloaded machine would. @returns what resumes it */
  freeze(): () => void;
  /** Lets it drain, and kills it if it does not. @returns how it ended: its exit code, or the signal */
  stop(): Promise<number | NodeJS.Signals | null>;
}

const drainMs = 60_000;

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
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal));
    child.once('error', () => resolve(null));
  });
  return {
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    freeze: () => {
      child.kill('SIGSTOP');
      return () => void child.kill('SIGCONT');
    },
    stop: async () => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), drainMs);
      const how = await exited;
      clearTimeout(timer);
      return how;
    },
  };
}
