import type { ApiDocument, Schema } from '../api-document.js';
import { idsFor, type KnownIds } from './known-ids.js';

type Place = string[];

/** A body that an operation may accept, following its schema. */
export interface PlausibleBody {
  /** Names that may be left out. */
  optional: string[];
  /** The body with its required fields and these, and the paths of its values. */
  with(names: string[]): { value: unknown; places: Place[] };
}

/** @param example fields with values that the operation accepts, instead of what the schema alone suggests */
export function plausibleBody(
  document: ApiDocument,
  schema: Schema,
  own: KnownIds,
  example: Record<string, unknown> = {},
): PlausibleBody {
  const root = resolved(document, schema);
  const properties = (root['properties'] ?? {}) as Record<string, Schema>;
  const required = new Set((root['required'] ?? []) as string[]);
  const optional = Object.keys(properties).filter((name) => !required.has(name));
  return {
    optional,
    with: (names) => {
      if (root['type'] !== 'object' || Object.keys(properties).length === 0) {
        const value = plausible(document, root, '', own, 0);
        return { value, places: placesIn(value) };
      }
      const given = Object.entries(properties).filter(([name]) => required.has(name) || names.includes(name));
      const plain = given.map(([name, property]) => [name, plausible(document, property, name, own, 0)] as const);
      const value = { ...Object.fromEntries(plain), ...example };
      return { value, places: [...placesIn(value), ...optional.map((name) => [name])] };
    },
  };
}

/** Replaces the value at a path. Without such a path, the body is unchanged. */
export function replaced(value: unknown, place: Place, by: unknown): unknown {
  const [first, ...rest] = place;
  if (first === undefined) return by;
  if (Array.isArray(value)) return value.map((entry, at) => (String(at) === first ? replaced(entry, rest, by) : entry));
  if (typeof value !== 'object' || value === null) return value;
  const entries: Record<string, unknown> = { ...value };
  return { ...entries, [first]: replaced(entries[first], rest, by) };
}

function resolved(document: ApiDocument, schema: Schema): Schema {
  const reference = schema['$ref'];
  if (typeof reference === 'string')
    return resolved(document, document.components.schemas[reference.split('/').at(-1) ?? ''] ?? {});
  for (const keyword of ['allOf', 'oneOf', 'anyOf']) {
    const [first] = (schema[keyword] ?? []) as Schema[];
    if (first) return resolved(document, first);
  }
  return schema;
}

const texts: Record<string, string> = {
  url: 'http://127.0.0.1:9/',
  source: 'def twice(number: int) -> int:\n    """Twice."""\n    return number * 2\n',
  where: 'event.message == "x"',
  reply_address: 'http://127.0.0.1:9/',
  at: '2026-01-01T00:00:00Z',
};

function plausible(document: ApiDocument, given: Schema, name: string, own: KnownIds, depth: number): unknown {
  const schema = resolved(document, given);
  const [choice] = (schema['enum'] ?? []) as unknown[];
  if (choice !== undefined) return choice;
  const [id] = idsFor(own, name);
  switch (schema['type']) {
    case 'integer':
    case 'number':
      return id !== undefined && /^\d+$/.test(id) ? Number(id) : (schema['minimum'] ?? 1);
    case 'boolean':
      return false;
    case 'array':
      return depth > 4 ? [] : [plausible(document, (schema['items'] ?? {}) as Schema, name, own, depth + 1)];
    case 'object': {
      const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
      if (depth > 4) return {};
      if (properties.length === 0) return { a: 'x', b: { c: ['y'] } };
      return Object.fromEntries(
        properties.map(([key, property]) => [key, plausible(document, property, key, own, depth + 1)]),
      );
    }
    default:
      if (schema['format'] === 'date-time') return '2030-01-01T00:00:00Z';
      return texts[name] ?? id ?? 'x'.repeat(Math.max(1, Number(schema['minLength'] ?? 1)));
  }
}

function placesIn(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([name, entry]) => placesIn(entry, [...at, name]))];
}
