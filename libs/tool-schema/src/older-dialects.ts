import { type Schema, schemasOf } from './schema-parts.js';

/** Writes what older drafts and OpenAPI say in the words of the draft that it is checked by; the meaning is the same. */
export function inWordsOfDialect(root: Schema, is2020: boolean): void {
  for (const { schema } of schemasOf(root)) {
    bounds(schema, 'exclusiveMinimum', 'minimum');
    bounds(schema, 'exclusiveMaximum', 'maximum');
    names(schema);
    nullable(schema);
    if (schema['type'] === 'any') delete schema['type'];
    if (is2020 && Array.isArray(schema['items'])) tuple(schema);
  }
}

/** Draft 4: whether the bound itself is excluded. */
function bounds(schema: Schema, exclusive: string, bound: string): void {
  if (typeof schema[exclusive] !== 'boolean') return;
  const excluded = schema[exclusive] && typeof schema[bound] === 'number';
  delete schema[exclusive];
  if (!excluded) return;
  schema[exclusive] = schema[bound];
  delete schema[bound];
}

/** Drafts 4 to 7: `#name` as an id is what is an anchor today. */
function names(schema: Schema): void {
  for (const keyword of ['id', '$id']) {
    const id = schema[keyword];
    if (typeof id !== 'string' || (keyword === '$id' && !id.startsWith('#'))) continue;
    delete schema[keyword];
    if (id.length > 1 && id.startsWith('#')) schema['$anchor'] ??= id.slice(1);
  }
}

/** OpenAPI 3.0, which Ajv knows only beside a type. */
function nullable(schema: Schema): void {
  if (schema['type'] !== undefined || schema['nullable'] === undefined) return;
  const wanted = schema['nullable'] === true;
  delete schema['nullable'];
  if (!wanted) return;
  const other = { type: 'null' };
  const { $ref: ref } = schema;
  if (Array.isArray(schema['anyOf'])) schema['anyOf'] = [...(schema['anyOf'] as unknown[]), other];
  else if (Array.isArray(schema['oneOf'])) schema['oneOf'] = [...(schema['oneOf'] as unknown[]), other];
  else if (typeof ref === 'string') {
    delete schema['$ref'];
    schema['anyOf'] = [{ $ref: ref }, other];
  }
}

function tuple(schema: Schema): void {
  const { items, additionalItems } = schema;
  delete schema['items'];
  delete schema['additionalItems'];
  schema['prefixItems'] = items;
  if (additionalItems !== undefined) schema['items'] = additionalItems;
}
