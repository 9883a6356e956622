import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface OpenMcpServer {
  url: string;
  close(): Promise<void>;
}

export interface ChangingMcpServer extends OpenMcpServer {
  /** From now on its tool takes another argument and has another description. */
  change(): void;
}

/** An MCP server with one tool, which changes on request. */
export async function openChangingMcpServer(): Promise<ChangingMcpServer> {
  let changed = false;
  const server = await openMcpServer(() => serverWith(changed));
  return {
    ...server,
    change: () => {
      changed = true;
    },
  };
}

/** @param make the server that answers a request */
export async function openMcpServer(make: () => McpServer): Promise<OpenMcpServer> {
  const handler = createMcpHandler(make);
  const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answered = await handler.fetch(
      new Request(`${origin}${request.url}`, {
        method: request.method ?? 'GET',
        headers: Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
        ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
      }),
    );
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    for await (const chunk of answered.body ?? []) response.write(chunk);
    response.end();
  }

  return {
    url: `${origin}/mcp`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function serverWith(changed: boolean): McpServer {
  const mcp = new McpServer({ name: 'stock', version: changed ? '2' : '1' }, { capabilities: { tools: {} } });
  const properties = {
    item: { type: 'string' as const, description: 'What is counted' },
    ...(changed ? { warehouse: { type: 'string' as const } } : {}),
  };
  const inputSchema = fromJsonSchema<{ item: string }>({ type: 'object', properties, required: ['item'] });
  const description = changed ? 'Counts what is left, anywhere.' : 'Counts what is left.';
  mcp.registerTool('count_stock', { description, inputSchema }, ({ item }) => ({
    content: [{ type: 'text', text: `7 of ${item} are left` }],
  }));
  return mcp;
}
