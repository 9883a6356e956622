import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../scripts/launcher/project.mjs';

/** A command's output and exit code. */
export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Runs the command line as people do: as a process of its own, configured only by its environment. */
export function gatehouse(args: string[], env: NodeJS.ProcessEnv, cwd?: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'dist/apps/cli/src/gatehouse.js'), ...args], {
      env: { PATH: process.env.PATH, ...env },
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended: Ended = { code: null, out: '', err: '' };
    child.stdout.on('data', (part) => (ended.out += String(part)));
    child.stderr.on('data', (part) => (ended.err += String(part)));
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...ended, code }));
  });
}
