const keyword = 'x-mcp-header';
const token = /^[\w!#$%&'*+.^`|~-]+$/;
const primitives = ['string', 'integer', 'boolean'];

/**
 * Why the arguments that a tool wants as headers (`x-mcp-header`, SEP-2243) make it unusable; null: they do not. They are
 * allowed on plain members that only `properties` lead to, each under a header of its own.
 */
export function headerProblem(schema: unknown): string | null {
  const taken = new Set<string>();
  const found = fault(schema, [], true, taken);
  return found && `inputSchema: ${found}`;
}

function fault(schema: unknown, path: string[], isMember: boolean, taken: Set<string>): string | null {
  if (typeof schema !== 'object' || schema === null) return null;
  if (!Array.isArray(schema) && keyword in schema) {
    const { [keyword]: name, type } = schema as Record<string, unknown>;
    const where = `${keyword} of ${path.join('.') || 'the whole'}`;
    if (!isMember || path.length === 0) return `${where}: only a member of an object can be sent as a header`;
    if (typeof name !== 'string' || !token.test(name)) return `${where} is no name of a header`;
    if (!primitives.includes(String(type))) return `${where}: only texts, integers and booleans can be sent as headers`;
    if (taken.has(name.toLowerCase())) return `${where}: another member has the same header`;
    taken.add(name.toLowerCase());
  }
  for (const [key, value] of Object.entries(schema)) {
    const isProperties = key === 'properties' && isMember && typeof value === 'object' && value !== null;
    const parts = isProperties ? Object.entries(value as object) : [[key, value] as const];
    for (const [name, part] of parts) {
      if (key === 'enum' || key === 'const' || key === 'default' || key === 'examples') continue;
      const found = fault(part, [...path, name], isProperties, taken);
      if (found) return found;
    }
  }
  return null;
}
