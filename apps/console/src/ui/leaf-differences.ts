export interface LeafDifference {
  /** `webhook.ack.status`, `events.0.type` */
  path: string;
  kind: 'added' | 'removed' | 'changed';
  before: unknown;
  after: unknown;
}

/** The leaves in which two JSON values differ, in the order of the first. */
export function leafDifferences(before: unknown, after: unknown): LeafDifference[] {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  const paths = [...new Set([...old.keys(), ...now.keys()])];
  return paths
    .filter(
      (path) => old.has(path) !== now.has(path) || JSON.stringify(old.get(path)) !== JSON.stringify(now.get(path)),
    )
    .map((path) => ({ path, kind: kindOf(old.has(path), now.has(path)), before: old.get(path), after: now.get(path) }));
}

function kindOf(was: boolean, is: boolean): LeafDifference['kind'] {
  if (!was) return 'added';
  return is ? 'changed' : 'removed';
}

function leavesOf(value: unknown, path = ''): Map<string, unknown> {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return new Map([[path, value]]);
  const below = Object.entries(value).flatMap(([key, child]) => [...leavesOf(child, path ? `${path}.${key}` : key)]);
  return new Map(below);
}
