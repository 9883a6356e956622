import { createHash } from 'node:crypto';

/** One id per set of rows: a sweeper that announces the same set again adds no second job. */
export function setId(ids: readonly string[]): string {
  return `set_${createHash('sha256')
    .update([...ids].sort().join(','))
    .digest('hex')
    .slice(0, 32)}`;
}
