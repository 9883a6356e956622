import { isRefusedRow } from '#libs/database';
import { setTimeout as pause } from 'node:timers/promises';

const everyMs = 250;

/**
 * Stores the outcome of an attempt however often Postgres fails meanwhile: nobody else knows it, and another attempt
 * would have to wait for the lease, and could repeat an effect.
 * @param store may have taken effect where it fails
 * @throws its last error once the time is over, or at once when Postgres refuses the row
 */
export async function persist<T>(store: () => Promise<T>, forMs: number): Promise<T> {
  for (const untilMs = performance.now() + forMs; ; await pause(everyMs)) {
    try {
      return await store();
    } catch (error) {
      if (isRefusedRow(error) || performance.now() > untilMs) throw error;
    }
  }
}
