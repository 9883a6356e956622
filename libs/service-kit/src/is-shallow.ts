/**
 * Whether a JSON value has at most so many levels: an object or a list is one, and each within it one more. A deeper one
 * would overflow the stack of whoever walks it.
 */
export function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((entry) => isShallow(entry, levels - 1));
}
