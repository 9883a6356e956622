const prefix = '#/components/schemas/';

/**
 * The schemas that paths, or those schemas themselves, refer to: services describe the bodies of their jobs and internal
 * routes as well, which are nobody's outside.
 */
export function reachableSchemas(paths: object, schemas: Record<string, unknown>): Record<string, unknown> {
  const found = new Set<string>();
  const waiting: unknown[] = [paths];
  while (waiting.length > 0) {
    JSON.stringify(waiting.pop(), (key, value: unknown) => {
      if (key !== '$ref' || typeof value !== 'string' || !value.startsWith(prefix)) return value;
      const name = value.slice(prefix.length);
      if (!found.has(name)) {
        found.add(name);
        waiting.push(schemas[name]);
      }
      return value;
    });
  }
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
}
