export type Schema = Record<string, unknown>;

/** Where a schema has others: by name, in a list, or one. */
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const singles = new Set([
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'contentSchema',
  'additionalProperties',
  'unevaluatedProperties',
  'items',
  'additionalItems',
  'unevaluatedItems',
]);

/** The schema at the end of a path, and what of it the path names: a keyword, with what is below it. */
export interface Part {
  schema: Schema;
  at: string[];
  keyword: string;
  /** The name or position of a schema in a map or list of the keyword, which is itself no schema. */
  entry: string | null;
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every schema in a document as it is now, with where it is. */
export function schemasOf(schema: Schema, at: string[] = []): { schema: Schema; at: string[] }[] {
  const found = [{ schema, at }];
  for (const [keyword, value] of Object.entries(schema)) {
    const entries =
      (maps.has(keyword) && isSchema(value)) || ((lists.has(keyword) || keyword === 'items') && Array.isArray(value))
        ? Object.entries(value).map(([name, each]) => [[keyword, name], each] as const)
        : singles.has(keyword)
          ? [[[keyword], value] as const]
          : [];
    for (const [where, each] of entries) if (isSchema(each)) found.push(...schemasOf(each, [...at, ...where]));
  }
  return found;
}

/**
 * How many schemas there are in a document, itself included: the time that it takes to compile it grows with them.
 */
export function countSchemas(document: unknown): number {
  return isSchema(document) ? schemasOf(document).length : 0;
}

/** The innermost part that a path leads to; null for the whole document. @param path of an error, from the root */
export function partAt(root: Schema, path: string[]): Part | null {
  let part: Part | null = null;
  let schema = root;
  for (let from = 0; from < path.length;) {
    const keyword = path[from] ?? '';
    const value = schema[keyword];
    const name = path[from + 1];
    const at = path.slice(0, from);
    const many = (maps.has(keyword) && isSchema(value)) || Array.isArray(value);
    const inside = many && name !== undefined && (maps.has(keyword) || lists.has(keyword) || keyword === 'items');
    const next = inside ? (value as Schema)[name] : value;
    part = { schema, at, keyword, entry: inside && (!isSchema(next) || from + 2 === path.length) ? name : null };
    if (!(inside || singles.has(keyword)) || !isSchema(next)) return part;
    from += inside ? 2 : 1;
    schema = next;
  }
  return part;
}

export const pointer = (path: readonly string[]): string =>
  path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

export const pathOf = (text: string): string[] =>
  text
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
