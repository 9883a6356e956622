import { createHash } from 'node:crypto';

/** One id for one set of rows, so that a sweeper's second announcement of the same set is no second job. */
export function setId(ids: readonly string[]): string {
  return `set_${createHash('sha256')
    .update([...ids].sort().join(','))
    .digest('hex')
    .slice(0, 32)}`;
}
