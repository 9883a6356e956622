import type { ToolGrade } from '#libs/contracts';
import { createHash } from 'node:crypto';

export type JsonSchema = Record<string, unknown>;

/** What a tool says of itself: what a model is shown, and the hints that its grade comes from. */
export interface ToolDefinition {
  name: string;
  title?: string;
  description?: string;
  input_schema: JsonSchema;
  output_schema?: JsonSchema;
  annotations?: Record<string, unknown>;
  /** Python tools alone. */
  python?: PythonPart;
}

export interface PythonPart {
  source: string;
  source_sha256: string;
  /** The function that is called. */
  function: string;
  uses: { http: boolean; credentials: string[] };
}

/**
 * What an MCP tool's hints make of it. They are the server's word, read as the protocol says: a tool that says nothing
 * may destroy. A person's grade stands above them.
 */
export function hintedGrade({ annotations = {} }: ToolDefinition): { grade: ToolGrade; idempotent: boolean } {
  const reads = annotations['readOnlyHint'] === true;
  const grade = reads ? 'read' : annotations['destructiveHint'] === false ? 'write' : 'destructive';
  return { grade, idempotent: reads || annotations['idempotentHint'] === true };
}

/** Pins a definition: SHA-256 over its canonical JSON, so that nothing of it can change unseen. */
export function pinOf(definition: ToolDefinition): string {
  return sha256(canonicalJson(definition));
}

/** JSON with the members of every object in order of their names (RFC 8785 for what JSON.parse can give). */
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
