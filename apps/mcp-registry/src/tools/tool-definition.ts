import type { ToolGrade } from '#libs/contracts';
import { createHash } from 'node:crypto';

export type JsonSchema = Record<string, unknown>;

/** A tool's description of itself: what a model is shown, and the hints that determine its grade. */
export interface ToolDefinition {
  name: string;
  title?: string;
  description?: string;
  input_schema: JsonSchema;
  output_schema?: JsonSchema;
  annotations?: Record<string, unknown>;
  /** Only for Python tools. */
  python?: PythonPart;
}

export interface PythonPart {
  source: string;
  source_sha256: string;
  /** The function to call. */
  function: string;
  uses: { http: boolean; credentials: string[] };
}

/**
 * The grade that an MCP tool's hints imply. Hints are the server's claim, read as the protocol says: a tool without
 * hints may destroy, and so may one that claims both that it only reads and that it destroys. A person's grade overrides
 * them.
 */
export function hintedGrade({ annotations = {} }: ToolDefinition): { grade: ToolGrade; idempotent: boolean } {
  const reads = annotations['readOnlyHint'] === true && annotations['destructiveHint'] !== true;
  const grade = reads ? 'read' : annotations['destructiveHint'] === false ? 'write' : 'destructive';
  return { grade, idempotent: reads || annotations['idempotentHint'] === true };
}

/** Pins a definition: the SHA-256 of its canonical JSON, so that no part of it can change unnoticed. */
export function pinOf(definition: ToolDefinition): string {
  return sha256(canonicalJson(definition));
}

/** JSON with the members of every object sorted by name (RFC 8785, for what JSON.parse can yield). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((entry) => canonicalJson(entry ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
