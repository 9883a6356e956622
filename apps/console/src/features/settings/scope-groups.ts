/** `apps` of `apps:write`. */
const resourceOf = (scope: string): string => scope.split(':')[0] ?? scope;

/** `write` of `apps:write`; the scope itself if it is one word. */
export const suffixOf = (scope: string): string => scope.split(':')[1] ?? scope;

/** Scopes grouped by resource, each group once, in the given order. */
export function resourcesOf(scopes: readonly string[]): { resource: string; scopes: string[] }[] {
  const groups = Map.groupBy(new Set(scopes), resourceOf);
  return [...groups].map(([resource, of]) => ({ resource, scopes: of }));
}
