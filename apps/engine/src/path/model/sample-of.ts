type Schema = Record<string, unknown>;

/** A schema may contain itself. */
const maxDepth = 12;

/**
 * A value by a JSON Schema, for rehearsals: what the schema itself names (`const`, `default`, `examples`, `enum`), else
 * the least that its types ask for. It may not hold to a schema that says more, such as a pattern.
 */
export function sampleOf(schema: Schema): unknown {
  return valueOf(schema, schema, 0);
}

function valueOf(given: unknown, root: Schema, depth: number): unknown {
  const schema = resolved(given, root);
  if (!isSchema(schema) || depth > maxDepth) return null;
  if ('const' in schema) return schema['const'];
  if ('default' in schema) return schema['default'];
  for (const named of [schema['examples'], schema['enum']])
    if (Array.isArray(named) && named.length > 0) return named[0];
  const [either] = [schema['anyOf'], schema['oneOf']].filter((each) => Array.isArray(each));
  if (Array.isArray(either))
    return valueOf({ ...schema, anyOf: undefined, oneOf: undefined, ...resolved(either[0], root) }, root, depth + 1);
  switch (typeOf(schema)) {
    case 'object':
      return Object.fromEntries(
        partsOf(schema, root).map(([name, part]) => [name, valueOf(part, root, depth + 1)] as const),
      );
    case 'array':
      return Array.from({ length: Math.min(numberOf(schema['minItems'], 0), 100) }, () =>
        valueOf(schema['items'], root, depth + 1),
      );
    case 'integer':
    case 'number':
      return numberOf(schema['minimum'], numberOf(schema['exclusiveMinimum'], -1) + 1);
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return 'rehearsal'
        .padEnd(Math.min(numberOf(schema['minLength'], 0), 10_000), '.')
        .slice(0, numberOf(schema['maxLength'], 10_000));
  }
}

/** Properties that must be there: what may be left out could lead back to the schema itself. */
function partsOf(schema: Schema, root: Schema): [string, unknown][] {
  const all = [schema, ...(Array.isArray(schema['allOf']) ? schema['allOf'] : [])].map((part) => resolved(part, root));
  const properties = Object.assign({}, ...all.map((part) => part?.['properties'])) as Schema;
  const required = all.flatMap((part) => (Array.isArray(part?.['required']) ? part['required'] : []));
  return required.map((name) => [String(name), properties[String(name)] ?? {}]);
}

function typeOf({ type, properties, items, allOf }: Schema): unknown {
  if (Array.isArray(type)) return type[0];
  if (type !== undefined) return type;
  if (properties !== undefined || allOf !== undefined) return 'object';
  return items === undefined ? 'string' : 'array';
}

function resolved(given: unknown, root: Schema): Schema | null {
  if (!isSchema(given)) return null;
  const { $ref: ref } = given;
  if (typeof ref !== 'string') return given;
  const found = ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, name) => (isSchema(at) ? at[name] : undefined), root);
  return isSchema(found) && found['$ref'] === undefined ? found : null;
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
