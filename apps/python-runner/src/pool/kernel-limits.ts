import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Whether the kernel's limits can be set from outside of a process here: prlimit(2) is Linux'. */
export const hasKernelLimits = process.platform === 'linux';

/**
 * Takes from a warm child every further file descriptor, and with it every socket, file and pipe, whatever JavaScript or
 * WebAssembly it may come to run: Node's permissions know no network. Not to be undone by the child (hard limits).
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
