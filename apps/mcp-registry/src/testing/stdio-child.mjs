// A stdio server that misbehaves on purpose. Each process appends its pid as a line to the file PIDS.
import { McpServer, fromJsonSchema } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { appendFileSync, writeFileSync } from 'node:fs';

if (process.env.PIDS) appendFileSync(process.env.PIDS, `${process.pid}\n`);
if (process.env.BROKEN) process.exit(3);

const inputSchema = fromJsonSchema({ type: 'object', properties: { bytes: { type: 'number' } } });
const text = (/** @type {string} */ value) => ({ content: [{ type: /** @type {const} */ ('text'), text: value }] });
const mcp = new McpServer({ name: 'child', version: '1' }, { capabilities: { tools: {} } });

mcp.registerTool('whoami', { description: 'Says its pid.', inputSchema }, () => text(String(process.pid)));
mcp.registerTool('token', { description: 'Says what it knows of the sidecar.', inputSchema }, () =>
  text(JSON.stringify([process.env.MCP_SIDECAR_TOKEN ?? null, process.env.GIVEN ?? null])),
);
mcp.registerTool('die', { description: 'Ends the process.', inputSchema }, () => process.exit(7));
mcp.registerTool('silence', { description: 'Never answers.', inputSchema }, () => {
  writeFileSync(`${process.env.PIDS}.heard`, '');
  return new Promise(() => undefined);
});
mcp.registerTool('shout', { description: 'Answers with many bytes.', inputSchema }, ({ bytes }) =>
  text('x'.repeat(bytes ?? 0)),
);
await mcp.connect(new StdioServerTransport());
