import { jsonText } from './readable-text.js';

export interface LeafDifference {
  /** `webhook.ack.status`, `events.0.type` */
  path: string;
  kind: 'added' | 'removed' | 'changed';
  before: unknown;
  after: unknown;
}

/** A deeper level is compared as a whole. */
const deepest = 40;

/** The leaves in which two JSON values differ, in the order of the first. */
export function leafDifferences(before: unknown, after: unknown): LeafDifference[] {
  const [old, now] = [new Map<string, unknown>(), new Map<string, unknown>()];
  addLeaves(old, before);
  addLeaves(now, after);
  const paths = [...new Set([...old.keys(), ...now.keys()])];
  return paths
    .filter((path) => old.has(path) !== now.has(path) || differ(old.get(path), now.get(path)))
    .map((path) => ({ path, kind: kindOf(old.has(path), now.has(path)), before: old.get(path), after: now.get(path) }));
}

const differ = (before: unknown, after: unknown): boolean => before !== after && jsonText(before) !== jsonText(after);

function kindOf(was: boolean, is: boolean): LeafDifference['kind'] {
  if (!was) return 'added';
  return is ? 'changed' : 'removed';
}

function addLeaves(leaves: Map<string, unknown>, value: unknown, path = '', depth = 0): void {
  const isLeaf = typeof value !== 'object' || value === null || depth === deepest;
  if (isLeaf || Object.keys(value).length === 0) leaves.set(path, value);
  else
    for (const [key, child] of Object.entries(value))
      addLeaves(leaves, child, path ? `${path}.${key}` : key, depth + 1);
}
