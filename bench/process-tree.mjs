import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** @typedef {{cpuMs: number, pssMb: number, sharedMb: number}} ProcessUse sharedMb: of it, memory shared with others */

/**
 * CPU so far and current memory (Linux). Each process counts towards its nearest ancestor that has a name.
 * @param {Map<number, string>} names by pid
 * @returns {Record<string, ProcessUse>}
 */
export function usesOf(names) {
  const all = new Map(readdirSync('/proc').flatMap((entry) => (/^\d+$/.test(entry) ? statOf(Number(entry)) : [])));
  /** @type {Record<string, ProcessUse>} */
  const uses = {};
  for (const [pid, { cpuMs }] of all) {
    let at = pid;
    while (!names.has(at) && all.has(at)) at = all.get(at)?.parent ?? 0;
    const name = names.get(at);
    if (!name) continue;
    const sum = (uses[name] ??= { cpuMs: 0, pssMb: 0, sharedMb: 0 });
    const { pssMb, sharedMb } = memoryOf(pid);
    sum.cpuMs += cpuMs;
    sum.pssMb += pssMb;
    sum.sharedMb += sharedMb;
  }
  return uses;
}

/**
 * @param {number} pid @returns {Array<[number, {parent: number, cpuMs: number}]>} CPU includes that of exited children;
 *   empty when the process is gone
 */
function statOf(pid) {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return [];
  try {
    const [, parent, ...rest] = (readFileSync(file, 'utf8').split(') ').at(-1) ?? '').split(' ').map(Number);
    const ticks = rest.slice(9, 13).reduce((sum, each) => sum + each, 0);
    return [[pid, { parent: parent ?? 0, cpuMs: ticks * 10 }]];
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

/** @param {number} pid its proportional set size */
function memoryOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const mb = (/** @type {string} */ key) =>
      Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1_024;
    return { pssMb: mb('Pss'), sharedMb: mb('Pss_Shmem') };
  } catch (error) {
    if (isGone(error)) return { pssMb: 0, sharedMb: 0 };
    throw error;
  }
}

/** @param {unknown} error thrown for a process that exited while it was read */
const isGone = (error) => error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH'].includes(String(error.code));
