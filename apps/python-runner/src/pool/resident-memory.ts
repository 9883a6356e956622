import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

const everyMs = 100;

/** Resident memory of a process in MB (proc(5)), or null if it is unknown: another system, or the process is gone. */
export async function residentMb(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}

/** Resolves true once the process exceeds the limit; false when the signal aborts first or the memory is unknown. */
export async function outgrows(pid: number, limitMb: number, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const now = await residentMb(pid);
    if (now === null) return false;
    if (now > limitMb) return !signal.aborted;
    await wait(everyMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
