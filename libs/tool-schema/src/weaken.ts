import { isSchema, type Part, pointer, type Schema, schemasOf } from './schema-parts.js';

/** What was left out: a keyword, or an entry of it, which then accepts everything. */
export type Lost = Omit<Part, 'schema'>;

const references = ['$ref', '$dynamicRef', '$recursiveRef'];

/** Keywords that say which properties or elements there are. */
const naming = new Set([
  'properties',
  'patternProperties',
  'prefixItems',
  'items',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
  'not',
  ...references,
]);

/** Keywords about whatever the others did not name. */
const closing = ['additionalProperties', 'additionalItems', 'unevaluatedProperties', 'unevaluatedItems'];

/**
 * A schema that lost a part must accept no less than before. What excludes (`not`, `if`, `oneOf`, a limit on matches,
 * a closed object) would exclude more, now that a part of it accepts everything; so that goes as well.
 */
export function weaken(root: Schema, lost: readonly Lost[]): void {
  const pointers = lost.map(({ at, keyword, entry }) => pointer([...at, keyword, ...(entry === null ? [] : [entry])]));
  const unnamed = lost.filter(
    ({ keyword, entry }) => naming.has(keyword) && (entry === null || keyword !== 'properties'),
  );
  const places = new Set(unnamed.map(({ at }) => pointer(at)));
  for (const { schema, at } of schemasOf(root)) {
    const touched = (keyword: string): boolean => {
      const below = `${pointer([...at, keyword])}/`;
      return pointers.some((each) => each.startsWith(below)) || refersIn(schema[keyword]);
    };
    if (schema['not'] !== undefined && touched('not')) delete schema['not'];
    if (schema['if'] !== undefined && touched('if'))
      for (const keyword of ['if', 'then', 'else']) delete schema[keyword];
    if (schema['oneOf'] !== undefined && touched('oneOf')) {
      schema['anyOf'] ??= schema['oneOf'];
      delete schema['oneOf'];
    }
    if (schema['maxContains'] !== undefined && touched('contains')) delete schema['maxContains'];
    if (unnamed.length === 0) continue;
    for (const keyword of closing) {
      if (keyword.startsWith('unevaluated') || places.has(pointer(at))) delete schema[keyword];
    }
  }
}

function refersIn(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(refersIn);
  if (!isSchema(value)) return false;
  return references.some((name) => typeof value[name] === 'string') || Object.values(value).some(refersIn);
}
