/** Thrown by a check of `until` when repeating it cannot help. */
export class Hopeless extends Error {
  override readonly name = 'Hopeless';
}

/** How long a test waits for anything: a busy machine takes minutes for what takes a second on an idle one. */
export const patienceMs = 240_000;

/**
 * Repeats a check until it succeeds.
 * @param check resolves to a value, or to null, undefined or false for "not yet"
 * @throws Hopeless at once, when `check` does; Error naming what was awaited, with the last error of `check`, after
 * `timeoutMs`
 */
export async function until<T>(
  what: string,
  check: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  timeoutMs = patienceMs,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown = null;
  while (Date.now() < deadline) {
    try {
      const value = await check();
      if (value !== null && value !== undefined && value !== false) return value;
      last = null;
    } catch (error) {
      if (error instanceof Hopeless) throw error;
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`Waited ${timeoutMs} ms in vain until ${what}${last ? `: ${String(last)}` : ''}`);
}
