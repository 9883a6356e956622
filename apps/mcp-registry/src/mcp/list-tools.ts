import type { McpConnection } from './mcp-connection.js';
import { McpError } from './mcp-error.js';

export interface ListLimits {
  pages: number;
  tools: number;
  bytes: number;
  /** For all pages together. */
  timeoutMs: number;
}

/** A complete listing, each entry as the server sent it. */
export interface ListedTools {
  tools: unknown[];
  /** How long the server says that it holds, by the page that says the least; null: it does not say. */
  ttlMs: number | null;
}

/**
 * Reads every page of `tools/list`, each entry as the server sent it. A listing that does not end within the limits is
 * an error: a partial listing is not what the server has, and must not be applied.
 * @throws McpError `list_too_long` and those of the connection
 */
export async function listTools(connection: McpConnection, limits: ListLimits): Promise<ListedTools> {
  if (!connection.hasTools) return { tools: [], ttlMs: null };
  const deadline = Date.now() + limits.timeoutMs;
  const seen = new Set<string>();
  const tools: unknown[] = [];
  let cursor: string | undefined;
  let bytes = 0;
  let ttlMs: number | null = null;
  for (let page = 1; ; page += 1) {
    const { entries, next, ttl } = readPage(await connection.listPage(cursor, Math.max(1, deadline - Date.now())));
    bytes += Buffer.byteLength(JSON.stringify(entries));
    tools.push(...entries);
    if (tools.length > limits.tools) throw tooLong(`more than ${limits.tools} tools`);
    if (bytes > limits.bytes) throw tooLong(`more than ${limits.bytes} bytes of tools`);
    // A page without one holds no longer than any other: the whole is as fresh as its parts.
    ttlMs = page === 1 ? ttl : ttl === null || ttlMs === null ? null : Math.min(ttlMs, ttl);
    if (next === undefined) return { tools, ttlMs };
    if (seen.has(next)) throw tooLong(`a cursor was repeated after ${page} pages`);
    if (page >= limits.pages) throw tooLong(`more than ${limits.pages} pages`);
    seen.add(next);
    cursor = next;
  }
}

function readPage(page: unknown): { entries: unknown[]; next: string | undefined; ttl: number | null } {
  const { tools, nextCursor, ttlMs } = (page ?? {}) as { tools?: unknown; nextCursor?: unknown; ttlMs?: unknown };
  if (!Array.isArray(tools)) throw new McpError('protocol_error', 'tools/list answered without a list of tools', true);
  // Zero and less mean that it is stale at once, as if nothing had been said.
  const ttl = typeof ttlMs === 'number' && ttlMs > 0 ? ttlMs : null;
  return { entries: tools as unknown[], next: typeof nextCursor === 'string' ? nextCursor : undefined, ttl };
}

const tooLong = (what: string): McpError =>
  new McpError('list_too_long', `the list of tools does not end: ${what}`, true);
