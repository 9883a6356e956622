/**
 * What bounds the memory of an installation. Without a bound V8 lets the heap of a busy process grow although most of it
 * is garbage, and Postgres fills whatever buffers it has.
 */

/** Of young objects: V8's default here is 128 MB. A service grows into part of it while it starts, and never returns it. */
const YOUNG = '--max-semi-space-size=8';
/** A process that hosts several services gets so many times the heap of one. */
const HOST_HEAPS = 2;

/** @param {string} name @param {NodeJS.ProcessEnv} env @param {{or: number, least: number, most: number}} range */
function megabytes(name, env, { or, least, most }) {
  const given = env[name];
  if (given === undefined || given === '') return or;
  const value = Number(given);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Error(`${name} is ${JSON.stringify(given)}: give megabytes, a whole number from ${least} to ${most}`);
}

/** Old objects of one service's process. @param {NodeJS.ProcessEnv} env */
const heapMb = (env) => megabytes('SERVICE_HEAP_MB', env, { or: 512, least: 128, most: 65_536 });

/**
 * What Node and the C library are given about memory. `NODE_OPTIONS` of the environment replaces ours.
 * @param {NodeJS.ProcessEnv} env @param {boolean} [host] whether the process hosts several services
 * @returns {Record<string, string>}
 */
export function memoryEnv(env, host = false) {
  return {
    NODE_OPTIONS: env.NODE_OPTIONS ?? `${YOUNG} --max-old-space-size=${heapMb(env) * (host ? HOST_HEAPS : 1)}`,
    // glibc keeps what threads free in up to eight arenas a core.
    MALLOC_ARENA_MAX: env.MALLOC_ARENA_MAX ?? '2',
  };
}

/** Of the Postgres that the launcher starts. @param {NodeJS.ProcessEnv} env @throws Error when it is not a number in range */
export const sharedBuffersMb = (env) =>
  megabytes('POSTGRES_SHARED_BUFFERS_MB', env, { or: 256, least: 16, most: 1_048_576 });
