import { IsString } from 'class-validator';
import { defineJob } from '../job-contract.js';

/** List the tools of an MCP server again: its time has come, or it said that its list changed. */
export class McpDiscoverPayload {
  @IsString() server_id: string;
}

export const mcpDiscover = defineJob<McpDiscoverPayload>({
  name: 'mcp.discover',
  queue: 'mcp-discovery',
  payload: McpDiscoverPayload,
  jobId: (payload) => payload.server_id,
  // A server that does not answer is a recorded state, asked again on schedule: only our own stores are retried for.
  attempts: 3,
  backoff: { baseMs: 500, capMs: 10_000 },
});
