import type { McpConnection } from './mcp-connection.js';
import { McpError } from './mcp-error.js';

export interface ListLimits {
  pages: number;
  tools: number;
  bytes: number;
  /** For all pages together. */
  timeoutMs: number;
}

/**
 * Reads every page of `tools/list`, each entry as the server sent it. A listing that does not end within the limits is
 * an error: a partial listing is not what the server has, and must not be applied.
 * @throws McpError `list_too_long` and those of the connection
 */
export async function listTools(connection: McpConnection, limits: ListLimits): Promise<unknown[]> {
  if (!connection.hasTools) return [];
  const deadline = Date.now() + limits.timeoutMs;
  const seen = new Set<string>();
  const tools: unknown[] = [];
  let cursor: string | undefined;
  let bytes = 0;
  for (let page = 1; ; page += 1) {
    const { entries, next } = readPage(await connection.listPage(cursor, Math.max(1, deadline - Date.now())));
    bytes += Buffer.byteLength(JSON.stringify(entries));
    tools.push(...entries);
    if (tools.length > limits.tools) throw tooLong(`more than ${limits.tools} tools`);
    if (bytes > limits.bytes) throw tooLong(`more than ${limits.bytes} bytes of tools`);
    if (next === undefined) return tools;
    if (seen.has(next)) throw tooLong(`a cursor was repeated after ${page} pages`);
    if (page >= limits.pages) throw tooLong(`more than ${limits.pages} pages`);
    seen.add(next);
    cursor = next;
  }
}

function readPage(page: unknown): { entries: unknown[]; next: string | undefined } {
  const { tools, nextCursor } = (page ?? {}) as { tools?: unknown; nextCursor?: unknown };
  if (!Array.isArray(tools)) throw new McpError('protocol_error', 'tools/list answered without a list of tools', true);
  return { entries: tools as unknown[], next: typeof nextCursor === 'string' ? nextCursor : undefined };
}

const tooLong = (what: string): McpError =>
  new McpError('list_too_long', `the list of tools does not end: ${what}`, true);
