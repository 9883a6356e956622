import { isJsonObject, type Manifest } from '#libs/adapter-sdk';

/** One value that differs; `before` or `after` is absent where there is none. */
export interface ManifestDifference {
  /** JSON pointer (RFC 6901): names cannot be mistaken for nesting. */
  path: string;
  before?: unknown;
  after?: unknown;
  needs_approval: boolean;
}

/** Texts for people: they change nothing that Gatehouse does. Every other field of a credential does. */
const wordsOfCredential = /^\/credentials\/\d+\/(label|description)$/;
const guarded = /^\/(capabilities|credentials|oauth_config|webhook|sources)(\/|$)/;

/** The differences between two manifests, ordered by path. */
export function manifestDifferences(before: Manifest, after: Manifest): ManifestDifference[] {
  const [old, now] = [leaves(before), leaves(after)];
  const paths = [...new Set([...old.keys(), ...now.keys()])].sort();
  return paths.flatMap((path) => {
    const [was, is] = [old.get(path), now.get(path)];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    return [
      {
        path,
        ...(old.has(path) ? { before: was } : {}),
        ...(now.has(path) ? { after: is } : {}),
        needs_approval: needsApproval(path, was, is),
      },
    ];
  });
}

function needsApproval(path: string, before: unknown, after: unknown): boolean {
  if (wordsOfCredential.test(path)) return false;
  return guarded.test(path) || isUrl(before) || isUrl(after);
}

function isUrl(value: unknown): boolean {
  return typeof value === 'string' && /^[a-z][a-z0-9+.-]*:\/\//i.test(value);
}

function leaves(value: unknown, path = '', found = new Map<string, unknown>()): Map<string, unknown> {
  const entries = entriesOf(value);
  if (entries === null || entries.length === 0) {
    found.set(path, value);
    return found;
  }
  for (const [name, entry] of entries) {
    leaves(entry, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, found);
  }
  return found;
}

function entriesOf(value: unknown): [string, unknown][] | null {
  return isJsonObject(value) || Array.isArray(value) ? Object.entries(value) : null;
}
