import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Rpc {
  id?: number | string;
  method: string;
  params?: Record<string, unknown>;
}

/** How a fake server behaves. A test may change it while the server runs. */
export interface Script {
  /** One page of tools/list, or a promise of it. */
  list(cursor: string | undefined): unknown;
  call(name: string, args: Record<string, unknown>, session: string): unknown;
  /** Requests without these headers are answered 401. */
  wants: Record<string, string>;
  /** The delay before each answer. */
  delayMs: number;
  /** The `WWW-Authenticate` header of a 401. */
  challenge: string;
  /** JSON answers at other paths, computed from the request's body. An answer with an `error` gets status 400. */
  documents: Record<string, (body: Record<string, unknown>) => unknown>;
  /** Whether answers to tools/call are event streams. */
  streams: boolean;
  /** Progress of a call before its answer, as an event stream: params of the notifications, and the time before each. */
  progress: { notes: Record<string, unknown>[]; everyMs: number };
  /** False: no client gets a session. */
  keepsSessions: boolean;
  /** By method: writes an answer of its own. */
  raw: Record<string, (response: ServerResponse, id: number | string, params: Record<string, unknown>) => void>;
  /** How a request in an unknown session is answered. `rpc`: the message of a JSON-RPC error, with its code. */
  forgot: { status: number; body?: string; rpc?: { code: number; message: string } };
}

export const tool = (name: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  annotations: { readOnlyHint: true },
  ...more,
});

/** An MCP server of the 2025 protocol over plain HTTP, for behaviour that a real one does not show on request. */
export class FakeMcpServer {
  readonly script: Script = {
    list: () => ({ tools: [tool('first')] }),
    call: (name, args) => ({ content: [{ type: 'text', text: `${name} ${JSON.stringify(args)}` }] }),
    wants: {},
    delayMs: 0,
    challenge: 'Bearer',
    documents: {},
    streams: false,
    keepsSessions: true,
    progress: { notes: [], everyMs: 0 },
    raw: {},
    forgot: { status: 404, body: 'no such session' },
  };
  /** The methods that were called, in order. */
  readonly asked: string[] = [];
  /** Calls of tools as they arrived. */
  readonly calls: (Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { rpc: Rpc })[] = [];
  /** Calls whose connection closed before they were answered. */
  hungUp = 0;
  /** Sessions that clients have ended. */
  readonly ended: string[] = [];
  sessions = new Set<string>();
  private readonly streams = new Set<ServerResponse>();
  private made = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeMcpServer> {
    const server = createServer();
    const fake = new FakeMcpServer(server);
    server.on('request', (request, response) => void fake.serve(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return fake;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  forgetSessions(): void {
    this.sessions = new Set();
  }

  /** Tells every connected client that the list of tools changed. */
  announceListChanged(): void {
    const message = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    for (const stream of this.streams) stream.write(`data: ${message}\n\n`);
  }

  get listeners(): number {
    return this.streams.size;
  }

  count(method: string): number {
    return this.asked.filter((one) => one === method).length;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const document = this.script.documents[request.url ?? ''];
    if (document) {
      const made = document(JSON.parse((await textOf(request)) || '{}') as Record<string, unknown>);
      const refused = typeof made === 'object' && made !== null && 'error' in made;
      const status = refused ? 400 : request.method === 'POST' ? 201 : 200;
      return void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(made));
    }
    if (request.url !== '/mcp') return void response.writeHead(404).end();
    const wanted = Object.entries(this.script.wants).every(([name, value]) => request.headers[name] === value);
    if (!wanted) return void response.writeHead(401, { 'www-authenticate': this.script.challenge }).end();
    const session = String(request.headers['mcp-session-id'] ?? '');
    if (session && !this.sessions.has(session)) return this.refuseSession(request, response);
    if (request.method === 'GET') return this.stream(response);
    if (request.method === 'DELETE') {
      this.sessions.delete(session);
      this.ended.push(session);
      return void response.writeHead(204).end();
    }
    const rpc = JSON.parse(await textOf(request)) as Rpc;
    this.asked.push(rpc.method);
    if (rpc.method === 'tools/call')
      this.calls.push({ method: request.method, url: request.url, headers: request.headers, rpc });
    if (rpc.id === undefined) return void response.writeHead(202).end();
    if (this.script.delayMs > 0 && rpc.method.startsWith('tools/')) {
      response.once('close', () => (this.hungUp += response.writableFinished ? 0 : 1));
      await new Promise((resolve) => setTimeout(resolve, this.script.delayMs).unref());
    }
    await this.answer(rpc, session, response);
  }

  private async refuseSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body = '', rpc } = this.script.forgot;
    const { id } = JSON.parse((await textOf(request)) || '{}') as Rpc;
    const error = rpc ? JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: rpc }) : null;
    const type = error ? { 'content-type': 'application/json' } : {};
    response.writeHead(request.method === 'POST' ? status : 404, type).end(error ?? body);
  }

  private async answer({ id, method, params = {} }: Rpc, session: string, response: ServerResponse): Promise<void> {
    if (method === 'initialize' && this.script.keepsSessions) {
      const made = `s${(this.made += 1)}`;
      this.sessions.add(made);
      response.setHeader('mcp-session-id', made);
    }
    const raw = this.script.raw[method];
    if (raw) return raw(response, id ?? '', params);
    const { progressToken } = (params['_meta'] ?? {}) as { progressToken?: unknown };
    if (method === 'tools/call' && progressToken !== undefined) await this.progress(response, progressToken);
    const result = await this.resultOf(method, params, session);
    const body = JSON.stringify(
      result === undefined
        ? { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }
        : { jsonrpc: '2.0', id, result },
    );
    if (response.headersSent) {
      response.end(`data: ${body}\n\n`);
    } else if (this.script.streams && method === 'tools/call') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${body}\n\n`);
    } else {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    }
  }

  private async progress(response: ServerResponse, progressToken: unknown): Promise<void> {
    const { notes, everyMs } = this.script.progress;
    for (const note of notes) {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
      const params = { progressToken, ...note };
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })}\n\n`);
      await new Promise((resolve) => setTimeout(resolve, everyMs).unref());
    }
  }

  private resultOf(method: string, params: Record<string, unknown>, session: string): unknown {
    if (method === 'initialize') {
      return {
        protocolVersion: '2025-06-18',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'fake', version: '1' },
      };
    }
    if (method === 'tools/list') return this.script.list(params['cursor'] as string | undefined);
    if (method === 'tools/call') {
      return this.script.call(String(params['name']), (params['arguments'] ?? {}) as Record<string, unknown>, session);
    }
    return undefined;
  }

  private stream(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    this.streams.add(response);
    response.once('close', () => this.streams.delete(response));
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
