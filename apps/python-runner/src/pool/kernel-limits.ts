import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Whether another process's kernel limits can be set here: prlimit(2) exists only on Linux. */
export const hasKernelLimits = process.platform === 'linux';

/**
 * Denies a warm child any further file descriptor, and so every socket, file and pipe, whatever JavaScript or
 * WebAssembly it manages to run. Node's permissions do not cover the network. The child cannot undo it (hard limits).
 * @throws Error when prlimit (util-linux) is missing or the child is gone
 */
export async function limitByKernel(pid: number, cpuSeconds: number): Promise<void> {
  const limits = ['--nofile=0:0', '--fsize=0:0', '--core=0:0', `--cpu=${cpuSeconds}:${cpuSeconds}`];
  try {
    await run('prlimit', ['--pid', String(pid), ...limits], { timeout: 5_000 });
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new Error(missing ? 'prlimit (util-linux) is not installed' : 'prlimit could not limit it', { cause: error });
  }
}
