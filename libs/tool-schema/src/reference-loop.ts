import { isSchema, type Schema } from './schema-parts.js';

/** A reference, and the schema that has it. */
export interface Reference {
  ref: string;
  schema: Schema;
}

/** Keywords whose schemas apply to the same value as the schema that has them. */
const lists = ['allOf', 'anyOf', 'oneOf'];
const singles = ['not', 'if', 'then', 'else'];
const maps = ['dependentSchemas'];

/**
 * A reference that leads back to itself without going down into the value, so that a check would never end; null: there
 * is none. A schema may well contain itself (a tree of nodes): each step then checks a smaller value.
 */
export function referenceLoop(root: Schema): Reference | null {
  const anchors = anchorsIn(root);
  const done = new Set<Schema>();
  const open = new Set<Schema>();
  const visit = (schema: Schema, by: Reference | null): Reference | null => {
    if (open.has(schema)) return by;
    if (done.has(schema)) return null;
    open.add(schema);
    for (const [next, ref] of sameValue(schema, root, anchors)) {
      const loop = visit(next, ref === null ? by : { ref, schema });
      if (loop !== null) return loop;
    }
    open.delete(schema);
    done.add(schema);
    return null;
  };
  for (const schema of schemasIn(root)) {
    const loop = visit(schema, null);
    if (loop !== null) return loop;
  }
  return null;
}

function sameValue(schema: Schema, root: Schema, anchors: Map<string, Schema>): [Schema, string | null][] {
  const next: [Schema, string | null][] = [];
  const add = (value: unknown, ref: string | null = null): void => {
    if (isSchema(value)) next.push([value, ref]);
  };
  for (const name of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const ref = schema[name];
    if (typeof ref === 'string') add(target(ref, root, anchors), ref);
  }
  for (const name of lists) if (Array.isArray(schema[name])) for (const each of schema[name] as unknown[]) add(each);
  for (const name of singles) add(schema[name]);
  for (const name of maps) if (isSchema(schema[name])) for (const each of Object.values(schema[name])) add(each);
  return next;
}

/** What references within a document point to; undefined: nothing in it. */
export function targetsIn(root: Schema): (ref: string) => unknown {
  const anchors = anchorsIn(root);
  return (ref) => target(ref, root, anchors);
}

/** What a reference within the document points to. */
function target(ref: string, root: Schema, anchors: Map<string, Schema>): unknown {
  const at = ref.indexOf('#');
  if (at === -1) return undefined;
  if (at > 0 && !isName(ref.slice(0, at), root['$id'])) return undefined;
  const fragment = ref.slice(at + 1);
  if (fragment === '') return root;
  if (!fragment.startsWith('/')) return anchors.get(fragment);
  let value: unknown = root;
  for (const part of fragment.slice(1).split('/')) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Schema)[name];
  }
  return value;
}

/** Whether an address, which may be relative, is that of the document. */
function isName(address: string, id: unknown): boolean {
  const own = typeof id === 'string' ? id.replace(/#$/, '') : '';
  return address === own || (URL.canParse(address, own) && new URL(address, own).href === own);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return part;
  }
}

function anchorsIn(root: Schema): Map<string, Schema> {
  const found = new Map<string, Schema>();
  for (const schema of schemasIn(root)) {
    for (const name of ['$anchor', '$dynamicAnchor']) {
      const anchor = schema[name];
      if (typeof anchor === 'string') found.set(anchor, schema);
    }
  }
  return found;
}

/** Every object in the document. Some are no schemas, which does no harm. */
function schemasIn(root: Schema): Schema[] {
  const found: Schema[] = [];
  const rest: unknown[] = [root];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) found.push(value as Schema);
    rest.push(...Object.values(value as object));
  }
  return found;
}
