import type { CallToolResult } from '@modelcontextprotocol/client';
import { compileSchema } from '#libs/tool-schema';
import type { ToolDefinition } from '../tools/tool-definition.js';
import { McpError } from './mcp-error.js';

/**
 * Checks a result against its tool's output schema, with patterns whose run time is bounded. A tool's own error has
 * none to hold to.
 * @throws McpError `refused`
 */
export function checkOutput({ name, output_schema: schema }: ToolDefinition, result: CallToolResult): void {
  if (!schema || result.isError === true) return;
  const { structuredContent: content } = result;
  if (content === undefined) throw refused(`Tool ${name} has an output schema but did not return structured content`);
  const check = compileSchema({ ...schema });
  if (check(content)) return;
  const [error] = check.errors ?? [];
  const wrong = `${error?.instancePath || 'it'} ${error?.message ?? 'is not valid'}`;
  throw refused(`Structured content does not match the tool's output schema: ${wrong}`);
}

const refused = (message: string): McpError => new McpError('refused', message, true);
