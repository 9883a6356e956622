import { compileSchema, countSchemas, usableSchema } from '#libs/tool-schema';
import { headerProblem } from './mirrored-headers.js';
import { canonicalJson, pinOf, sha256, type ToolDefinition } from '../tools/tool-definition.js';

/** One entry of a listing: a usable definition and what was left out of it, or the reason why it is not usable. */
export type ListedTool =
  { name: string; definition: ToolDefinition; pin: string; problem: string | null } | { name: string; problem: string };

const maxDepth = 40;
const onlyAsTask =
  'can only be called as a task (taskSupport: required), and tasks are not supported: let its server allow plain calls';
/** What a person reads of what was left out of one tool. */
const shownLost = 5;

/** What one definition may have. */
export interface DefinitionLimits {
  bytes: number;
  schemas: number;
}

/** Definitions whose reading is kept: every server is listed again and again, and rarely changes. */
const maxKept = 5_000;

/** Reads listings. To compile schemas takes long, so what was read before is not compiled again. */
export class Listings {
  private readonly known = new Map<string, ListedTool>();

  constructor(private readonly limits: DefinitionLimits) {}

  /**
   * Reads each entry by itself: a bad one is quarantined under a readable name and does not affect the others.
   * @param mirrors the server wants arguments as headers, too, where a schema says so
   */
  read(entries: unknown[], mirrors = false): ListedTool[] {
    const byName = new Map<string, ListedTool>();
    for (const [at, entry] of entries.entries()) {
      const { name } = (entry ?? {}) as { name?: unknown };
      if (typeof name !== 'string' || !/^[\w./ -]{1,128}$/.test(name)) {
        const unusable = unusableName(name, at);
        byName.set(unusable.name, unusable);
        continue;
      }
      const given = entry as Record<string, unknown>;
      const headers = mirrors && depthOf(given) <= maxDepth ? headerProblem(given['inputSchema']) : null;
      const problem = byName.has(name) ? 'is listed twice' : headers;
      byName.set(name, problem === null ? this.entry(name, given) : { name, problem });
    }
    return [...byName.values()];
  }

  private entry(name: string, entry: Record<string, unknown>): ListedTool {
    if (depthOf(entry) > maxDepth) return { name, problem: `is nested deeper than ${maxDepth} levels` };
    const { title, description, inputSchema, outputSchema, annotations, execution } = entry;
    if (isObject(execution) && execution['taskSupport'] === 'required') return { name, problem: onlyAsTask };
    const given = { name, title, description, inputSchema, outputSchema, annotations };
    const json = canonicalJson(given);
    // First, since to compile a schema of megabytes would hold up this process.
    const bytes = Buffer.byteLength(json);
    if (bytes > this.limits.bytes) {
      return { name, problem: `its definition has ${bytes} bytes, more than ${this.limits.bytes}` };
    }
    const schemas = countSchemas(inputSchema) + countSchemas(outputSchema);
    if (schemas > this.limits.schemas) {
      const what = `its definition has ${schemas} properties and other schemas`;
      return { name, problem: `${what}, more than ${this.limits.schemas} (MCP_DEFINITION_SCHEMAS)` };
    }
    const key = sha256(json);
    const tool = this.known.get(key) ?? readDefinition(given);
    if (this.known.size >= maxKept) this.known.clear();
    this.known.set(key, tool);
    return tool;
  }
}

/** Made unique by a hash of the name, or by the position in the listing if there is no name. */
function unusableName(name: unknown, at: number): { name: string; problem: string } {
  if (typeof name !== 'string' || name === '') {
    return { name: `entry ${at + 1} of the listing`, problem: 'has no name' };
  }
  const shown = name.replace(/[^ -~]/g, '?').slice(0, 100);
  const problem = 'its name cannot be given to a model: only 1 to 128 letters, digits, spaces and . / _ - are allowed';
  return { name: `${shown} (${sha256(name).slice(0, 8)})`, problem };
}

interface GivenDefinition extends Record<string, unknown> {
  name: string;
}

function readDefinition(given: GivenDefinition): ListedTool {
  const { name, title, description, inputSchema, outputSchema, annotations } = given;
  const input = usableSchema(inputSchema);
  const output = outputProblem(outputSchema);
  const definition: ToolDefinition = {
    name,
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    input_schema: input.schema,
    ...(isObject(outputSchema) && output === null ? { output_schema: outputSchema } : {}),
    ...(isObject(annotations) ? { annotations } : {}),
  };
  const json = canonicalJson({ ...definition, inputSchema, outputSchema });
  // Postgres can store neither NUL nor a lone surrogate. JSON.stringify escapes a surrogate only when it is alone.
  if (/\\u(0000|d[89a-f])/.test(json)) return { name, problem: 'contains characters that are not valid text' };
  const lost = [...input.lost.map((each) => `inputSchema: ${each}`), ...(output === null ? [] : [output])];
  return { name, definition, pin: pinOf(definition), problem: lost.length === 0 ? null : leftOut(lost) };
}

/** Why the schema of its results is left out, or null. Nothing is fetched: a reference to another document is an error. */
function outputProblem(schema: unknown): string | null {
  if (schema === undefined || schema === null) return null;
  if (!isObject(schema)) return 'outputSchema: it is no schema of an object, so results are not checked';
  try {
    compileSchema(schema);
    return null;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `outputSchema: ${reason.replace(/ from id \S+$/, '').slice(0, 300)}, so results are not checked`;
  }
}

function leftOut(lost: string[]): string {
  const rest = lost.length > shownLost ? `; and ${lost.length - shownLost} more` : '';
  return `works without what cannot be used in its definition: ${lost.slice(0, shownLost).join('; ')}${rest}`;
}

function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return depth;
  return Math.max(depth, ...Object.values(value).map((member) => depthOf(member, depth + 1)));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
