import { setTimeout as sleep } from 'node:timers/promises';

const forMs = 600_000;
const everyMs = 250;

/**
 * Stores something that exists only in this process, and keeps trying while Postgres is away.
 * @throws the last error after ten minutes
 */
export async function keepTrying<T>(write: () => Promise<T>, failed: (error: unknown) => void): Promise<T> {
  const deadline = Date.now() + forMs;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      failed(error);
      await sleep(everyMs);
    }
  }
}
