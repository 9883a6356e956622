import { IsString } from 'class-validator';
import { defineJob } from '../job-contract.js';

/** List the tools of an MCP server again: it is due, or the server said that its list changed. */
export class McpDiscoverPayload {
  @IsString() server_id: string;
}

export const mcpDiscover = defineJob<McpDiscoverPayload>({
  name: 'mcp.discover',
  queue: 'mcp-discovery',
  payload: McpDiscoverPayload,
  jobId: (payload) => payload.server_id,
  // A server that does not answer is a recorded state and is asked again on schedule: only our own stores are worth a
  // retry.
  attempts: 3,
  backoff: { baseMs: 500, capMs: 10_000 },
});
