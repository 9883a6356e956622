/**
 * Who may be answered from a document, from the widest to the narrowest: `everyone`; only turns of admitted contacts and of the project's own callers
 * (`known`); or only contacts who read as one of `readers` (`listed`).
 */
export const documentAudiences = ['everyone', 'known', 'listed'] as const;
export type DocumentAudience = (typeof documentAudiences)[number];

export interface DocumentAccess {
  audience: DocumentAudience;
  /** Addresses of people, and `group:<name>`, in lower case. Empty unless the audience is `listed`. */
  readers: string[];
}

export const mostReaders = 500;
const readerPattern = /^(?:group:\S.{0,190}|[^\s@:]{1,100}@[^\s@:]{1,99})$/;

/**
 * The readers of a list, each once, as they are compared.
 * @returns what is wrong with it, in words, if it cannot be one
 */
export function readersOf(given: readonly unknown[]): string[] | string {
  if (given.length > mostReaders) return `names ${given.length} readers: a list has at most ${mostReaders}`;
  const readers = given.map((one) => (typeof one === 'string' ? one.trim().toLowerCase() : null));
  const wrong = readers.findIndex((one) => one === null || !readerPattern.test(one));
  if (wrong >= 0) return `has at ${wrong} neither the address of a person nor group:<name>`;
  return [...new Set(readers.filter((one) => one !== null))].toSorted();
}

/**
 * What all of them allow: the narrowest. Of two lists, those who are on both.
 * @param set by the project for everything from there
 */
export function narrowest(
  set: Exclude<DocumentAudience, 'listed'>,
  others: readonly (DocumentAccess | null)[],
): DocumentAccess {
  return others.reduce<DocumentAccess>((sofar, other) => (other === null ? sofar : narrower(sofar, other)), {
    audience: set,
    readers: [],
  });
}

function narrower(one: DocumentAccess, other: DocumentAccess): DocumentAccess {
  if (one.audience === 'listed' && other.audience === 'listed') {
    const both = new Set(other.readers);
    return { audience: 'listed', readers: one.readers.filter((reader) => both.has(reader)) };
  }
  const isNarrower = documentAudiences.indexOf(other.audience) > documentAudiences.indexOf(one.audience);
  return isNarrower ? other : one;
}
