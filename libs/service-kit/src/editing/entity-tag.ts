import { createHash } from 'node:crypto';

/**
 * A strong entity tag (RFC 9110, section 8.8.3) of what an answer shows: the same whatever order its fields come in.
 * @param without fields of the answer that are not of it
 */
export function entityTagOf(shown: object, without: string[] = []): string {
  const kept = Object.fromEntries(Object.entries(shown).filter(([field]) => !without.includes(field)));
  return `"${createHash('sha256').update(canonical(kept)).digest('base64url').slice(0, 27)}"`;
}

/** Whether an `If-Match` header lets a change of what has this tag through (RFC 9110, section 13.1.1): weak tags do not. */
export function matchesEntityTag(ifMatch: string, tag: string): boolean {
  if (ifMatch.trim() === '*') return true;
  const tags: string[] = ifMatch.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.includes(tag);
}

function canonical(value: unknown): string {
  // Once through JSON: what is sent, dates as text, is what is compared.
  const sent: unknown = JSON.parse(JSON.stringify(value ?? null));
  return JSON.stringify(sent, (_key, entry: unknown) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : entry,
  );
}
