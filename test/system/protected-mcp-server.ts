import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An MCP server that accepts only tokens that its authorization server issued for this resource. */
export interface ProtectedMcpServer {
  url: string;
  /** Requests in order: their token, its expiry (Unix seconds), and the answer's status. */
  uses: { token: string | null; expiresAt: number; status: number }[];
  close(): Promise<void>;
}

const metadataPath = '/.well-known/oauth-protected-resource/mcp';

export async function openProtectedMcpServer(issuer: string): Promise<ProtectedMcpServer> {
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
  const uses: ProtectedMcpServer['uses'] = [];
  const handler = createMcpHandler(() => serverWithEcho());
  const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${origin}/mcp`;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === metadataPath) {
      const metadata = { resource: url, authorization_servers: [issuer], scopes_supported: ['tools.use'] };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata));
      return;
    }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? null;
    // The audience check is the purpose of RFC 8707: a token for anything else is not accepted.
    const claims = await jwtVerify(token ?? '', keys, { issuer, audience: url }).catch(() => null);
    const scopes = String(claims?.payload['scope'] ?? '').split(' ');
    const allowed = scopes.includes('tools.use');
    uses.push({ token, expiresAt: claims?.payload.exp ?? 0, status: allowed ? 200 : 401 });
    if (allowed) return answer(request, response);
    const challenge = `Bearer resource_metadata="${origin}${metadataPath}", scope="tools.use"`;
    response.writeHead(401, { 'www-authenticate': challenge }).end();
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
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
    url,
    uses,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function serverWithEcho(): McpServer {
  const mcp = new McpServer({ name: 'protected', version: '1' }, { capabilities: { tools: {} } });
  const properties = { text: { type: 'string' as const } };
  const inputSchema = fromJsonSchema<{ text: string }>({ type: 'object', properties, required: ['text'] });
  mcp.registerTool('echo', { description: 'Says it again.', inputSchema }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  return mcp;
}
