import { ajvFor, compileSchema, isPattern, withRootNames } from './compile-schema.js';
import { inWordsOfDialect } from './older-dialects.js';
import { referenceLoop, targetsIn } from './reference-loop.js';
import { isSchema, type Part, partAt, pathOf, pointer, type Schema, schemasOf } from './schema-parts.js';
import { type Lost, weaken } from './weaken.js';

/** Nearly everything goes in the first passes. A schema that takes more is not worth the time. */
const maxPasses = 30;
const maxTries = 100;
const names = ['$id', '$anchor', '$dynamicAnchor', '$recursiveAnchor'];
const nowhere = 'leads nowhere, or to another document';
const references = ['$ref', '$dynamicRef', '$recursiveRef'];

export interface UsableSchema {
  schema: Schema;
  /** What was left out, and why. Empty: nothing. */
  lost: string[];
}

/**
 * The schema of a tool's arguments, without what cannot be used in it: a keyword that says nothing (`type: "strng"`), a
 * pattern that is none, a reference that leads nowhere, to another document or back to itself. What lost something
 * accepts more than before, never less. A schema that can be used stays as it is.
 */
export function usableSchema(given: unknown): UsableSchema {
  if (!isSchema(given)) return { schema: { type: 'object' }, lost: ['it is no schema of an object'] };
  const root = rootProblem(given);
  if (root !== null) return { schema: { type: 'object' }, lost: [root] };
  const typed = { ...given, type: 'object' };
  if (problemOf(typed) === null) return { schema: typed, lost: [] };
  const mended = new Leaving(typed);
  return { schema: mended.schema, lost: mended.lost };
}

/** Arguments are always an object: a root that says nothing of its type, or more than that, is one too. */
function rootProblem({ type }: Schema): string | null {
  const types = Array.isArray(type) ? (type as unknown[]) : [type];
  const known = ['string', 'number', 'integer', 'boolean', 'array', 'null'];
  const other = types.length > 0 && types.every((each) => known.includes(String(each)));
  return other ? `it describes no object, but ${types.join(' or ').slice(0, 100)}` : null;
}

function problemOf(schema: Schema): unknown {
  try {
    compileSchema(schema);
    return null;
  } catch (error) {
    return error;
  }
}

/** A copy of a schema, from which it leaves out one thing after the other until the rest can be used. */
class Leaving {
  readonly schema: Schema;
  readonly lost: string[] = [];
  private readonly parts: Lost[] = [];
  private readonly dialect: string;
  private tries = 0;

  constructor(given: Schema) {
    const { $schema: dialect } = given;
    this.dialect = typeof dialect === 'string' ? dialect : '';
    this.schema = withRootNames(rootId(structuredClone(given)));
    if (dialect !== undefined && typeof dialect !== 'string') delete this.schema['$schema'];
    inWordsOfDialect(this.schema, !/draft-0[4-7]|2019-09/.test(this.dialect));
    this.leaveOut();
    if (this.parts.length > 0) weaken(this.schema, this.parts);
    const rest = problemOf(this.schema);
    if (rest === null) return;
    for (const keyword of Object.keys(this.schema)) delete this.schema[keyword];
    this.schema['type'] = 'object';
    this.lost.push(`all of it: ${reasonOf(rest)}`);
  }

  private leaveOut(): void {
    for (let pass = 0; pass < maxPasses; pass += 1) {
      if (this.byMeta() || this.byPattern() || this.byLost() || this.byLoop()) continue;
      const problem = problemOf(this.schema);
      if (problem === null || !(this.byReference(problem) || this.byNames(problem) || this.byParts(problem))) return;
    }
  }

  /** What its own draft does not allow. */
  private byMeta(): boolean {
    const { $schema: _dialect, ...plain } = this.schema;
    const ajv = ajvFor(this.dialect, true);
    if (ajv.validateSchema(plain) === true) return false;
    const before = this.lost.length;
    for (const { instancePath, message } of ajv.errors ?? []) {
      const part = partAt(this.schema, pathOf(instancePath));
      if (part) this.drop(part, message ?? 'is not valid');
    }
    return this.lost.length > before;
  }

  private byPattern(): boolean {
    const before = this.lost.length;
    for (const { schema, at } of schemasOf(this.schema)) {
      const { pattern, patternProperties } = schema;
      if (typeof pattern === 'string' && !isPattern(pattern)) {
        this.drop({ schema, at, keyword: 'pattern', entry: null }, 'is no regular expression');
      }
      if (!isSchema(patternProperties)) continue;
      for (const name of Object.keys(patternProperties)) {
        if (isPattern(name)) continue;
        delete patternProperties[name];
        this.note({ at, keyword: 'patternProperties', entry: name }, 'is no regular expression');
      }
    }
    return this.lost.length > before;
  }

  private byLoop(): boolean {
    const loop = referenceLoop(this.schema);
    return (
      loop !== null &&
      this.dropReference(
        (ref, schema) => ref === loop.ref && schema === loop.schema,
        'leads back to itself without end',
      )
    );
  }

  /** Where only the document itself has a name, what it refers to is known without Ajv, which stops at the first one. */
  private byLost(): boolean {
    const within = schemasOf(this.schema).filter(({ at }) => at.length > 0);
    if (within.some(({ schema }) => schema['$id'] !== undefined)) return false;
    const pointsTo = targetsIn(this.schema);
    return this.dropReference((ref) => typeof ref === 'string' && pointsTo(ref) === undefined, nowhere);
  }

  /** Ajv names the reference, not its place. */
  private byReference(problem: unknown): boolean {
    const [, ref] = /can't resolve reference (.+) from id /.exec(problem instanceof Error ? problem.message : '') ?? [];
    return ref !== undefined && this.dropReference((each) => each === ref, nowhere);
  }

  private dropReference(isMeant: (ref: unknown, schema: Schema) => boolean, why: string): boolean {
    const before = this.lost.length;
    for (const { schema, at } of schemasOf(this.schema)) {
      for (const keyword of references) {
        if (isMeant(schema[keyword], schema)) this.drop({ schema, at, keyword, entry: null }, why);
      }
    }
    return this.lost.length > before;
  }

  /** Ids and anchors that are given twice, or that are none. */
  private byNames(problem: unknown): boolean {
    const before = this.lost.length;
    for (const { schema, at } of schemasOf(this.schema)) {
      for (const keyword of names) {
        if (schema[keyword] !== undefined) this.drop({ schema, at, keyword, entry: null }, reasonOf(problem));
      }
    }
    return this.lost.length > before;
  }

  /** Whatever else Ajv refuses: the properties and definitions without which it does not. */
  private byParts(problem: unknown): boolean {
    for (const keyword of ['properties', '$defs', 'definitions']) {
      const all = this.schema[keyword];
      if (!isSchema(all)) continue;
      for (const [name, value] of Object.entries(all)) {
        if ((isSchema(value) && Object.keys(value).length === 0) || (this.tries += 1) > maxTries) continue;
        set(all, name, {});
        if (reasonOf(problemOf(this.schema)) !== reasonOf(problem)) {
          this.note({ at: [], keyword, entry: name }, reasonOf(problem));
          return true;
        }
        set(all, name, value);
      }
    }
    return false;
  }

  private drop({ schema, at, keyword, entry }: Part, why: string): void {
    const value = schema[keyword];
    if (value === undefined) return;
    if (entry === null && keyword === 'required' && Array.isArray(value)) {
      // Which properties are required is known all the same.
      schema[keyword] = [...new Set((value as unknown[]).filter((name) => typeof name === 'string'))];
    } else if (entry === null) {
      delete schema[keyword];
    } else if (Object.hasOwn(value as object, entry) && !isSchema((value as Schema)[entry])) {
      set(value as Schema, entry, {});
    } else return;
    this.note({ at, keyword, entry }, why);
  }

  private note(part: Lost, why: string): void {
    this.parts.push(part);
    const { at, keyword, entry } = part;
    this.lost.push(`${pointer([...at, keyword, ...(entry === null ? [] : [entry])]).slice(0, 150)} ${why}`);
  }
}

/** Draft 4 names a schema by `id`. */
function rootId({ id, ...rest }: Schema): Schema {
  return typeof id === 'string' && rest['$id'] === undefined ? { ...rest, $id: id } : rest;
}

/** A property may have any name, `__proto__` too. */
function set(owner: Schema, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, enumerable: true, configurable: true, writable: true });
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/ from id urn:gatehouse:\S+$/, '').slice(0, 200);
}
