import { compileSchema } from '#libs/tool-schema';
import { canonicalJson, type JsonSchema, pinOf, sha256, type ToolDefinition } from '../tools/tool-definition.js';

/** One entry of a listing: a usable definition, or the reason why it is not usable. */
export type ListedTool = { name: string; definition: ToolDefinition; pin: string } | { name: string; problem: string };

const maxDepth = 40;

/** Reads each entry by itself: a bad one is quarantined under a readable name and does not affect the others. */
export function readListing(entries: unknown[], maxDefinitionBytes: number): ListedTool[] {
  const byName = new Map<string, ListedTool>();
  for (const [at, entry] of entries.entries()) {
    const { name } = (entry ?? {}) as { name?: unknown };
    if (typeof name !== 'string' || !/^[\w./ -]{1,128}$/.test(name)) {
      const unusable = unusableName(name, at);
      byName.set(unusable.name, unusable);
      continue;
    }
    byName.set(
      name,
      byName.has(name) ? { name, problem: 'is listed twice' } : readEntry(name, entry as object, maxDefinitionBytes),
    );
  }
  return [...byName.values()];
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

function readEntry(name: string, entry: object, maxBytes: number): ListedTool {
  const { title, description, inputSchema, outputSchema, annotations } = entry as Record<string, unknown>;
  if (depthOf(entry) > maxDepth) return { name, problem: `is nested deeper than ${maxDepth} levels` };
  const definition: ToolDefinition = {
    name,
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    input_schema: isObject(inputSchema) ? inputSchema : {},
    ...(isObject(outputSchema) ? { output_schema: outputSchema } : {}),
    ...(isObject(annotations) ? { annotations } : {}),
  };
  if (!isObject(inputSchema)) return { name, problem: 'has no inputSchema' };
  const json = canonicalJson(definition);
  // Postgres can store neither NUL nor a lone surrogate. JSON.stringify escapes a surrogate only when it is alone.
  if (/\\u(0000|d[89a-f])/.test(json)) return { name, problem: 'contains characters that are not valid text' };
  const bytes = Buffer.byteLength(json);
  if (bytes > maxBytes) return { name, problem: `its definition has ${bytes} bytes, more than ${maxBytes}` };
  const problem =
    schemaProblem(inputSchema, 'inputSchema') ??
    (isObject(outputSchema) ? schemaProblem(outputSchema, 'outputSchema') : null);
  return problem ? { name, problem } : { name, definition, pin: pinOf(definition) };
}

/** Why a JSON Schema cannot be used, or null. Nothing is fetched: a reference to another document is an error. */
function schemaProblem(schema: JsonSchema, where: string): string | null {
  if (where === 'inputSchema' && schema['type'] !== 'object') return 'its inputSchema is not of the type object';
  try {
    compileSchema(schema);
    return null;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return `${where}: ${said.replace(/ from id \S+$/, '')}`.slice(0, 300);
  }
}

function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return depth;
  return Math.max(depth, ...Object.values(value).map((member) => depthOf(member, depth + 1)));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
