import type { ToolGrade } from '#libs/contracts';
import type { ToolDefinition } from './tool-definition.js';

/**
 * What an MCP tool's hints make of it. They are the server's word, read as the protocol says: a tool that says nothing
 * may destroy. A person's grade stands above them.
 */
export function hintedGrade({ annotations = {} }: ToolDefinition): { grade: ToolGrade; idempotent: boolean } {
  const reads = annotations['readOnlyHint'] === true;
  const grade = reads ? 'read' : annotations['destructiveHint'] === false ? 'write' : 'destructive';
  return { grade, idempotent: reads || annotations['idempotentHint'] === true };
}
