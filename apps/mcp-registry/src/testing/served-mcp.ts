import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ServedMcp {
  url: string;
  /** The JSON-RPC methods that were asked, in order. */
  asked: string[];
  stop(): Promise<void>;
}

/** Serves the web-standard handler of a real MCP server with a Node server. */
export async function servedMcp(handle: (request: Request) => Promise<Response>): Promise<ServedMcp> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    if (text !== '') asked.push((JSON.parse(text) as { method: string }).method);
    const hungUp = new AbortController();
    response.once('close', () => hungUp.abort());
    const answer = await handle(
      new Request(`http://${request.headers.host}${request.url}`, {
        method: request.method ?? 'GET',
        headers: Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
        signal: hungUp.signal,
        ...(text === '' ? {} : { body: text }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.flushHeaders();
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    asked,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
