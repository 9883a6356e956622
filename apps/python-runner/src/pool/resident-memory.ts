import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

const everyMs = 100;

/** Resident memory of a process in MB (proc(5)), or null where that cannot be told: another system, or it is gone. */
export async function residentMb(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}

/** Resolves true when the process has grown past the limit, false when the signal ends the watch first. */
export async function outgrows(pid: number, limitMb: number, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const now = await residentMb(pid);
    if (now === null) return false;
    if (now > limitMb) return !signal.aborted;
    await wait(everyMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
