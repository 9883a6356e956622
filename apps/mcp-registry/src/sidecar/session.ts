import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import type { StdioServer } from './server-file.js';

/** Why a session has ended. */
export type SessionEnd = 'closed' | 'idle' | 'process_ended' | 'shutdown';

export interface SessionLimits {
  messageBytes: number;
  /** Unanswered requests, and messages that the process has not read yet. */
  pending: number;
  idleMs: number;
}

/** One client and the process that serves it. Messages are passed between them unchanged. */
export class Session {
  readonly id = randomUUID();
  readonly startedMs = Date.now();
  /** Requests that were passed to the process. */
  requests = 0;
  private readonly http = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => this.id });
  private readonly unanswered = new Set<RequestId>();
  private unsent = 0;
  private ending: Promise<void> | null = null;
  private readonly idle: NodeJS.Timeout;

  private constructor(
    private readonly stdio: StdioClientTransport,
    private readonly limits: SessionLimits,
    private readonly onEnd: (session: Session, end: SessionEnd) => void,
  ) {
    this.idle = setTimeout(() => void this.end('idle'), limits.idleMs).unref();
    this.http.onmessage = (message) => this.toProcess(message);
    this.http.onclose = () => void this.end('closed');
    stdio.onmessage = (message) => void this.toClient(message);
    stdio.onclose = () => void this.end('process_ended');
  }

  /**
   * Starts the process.
   * @param onEnd called once, when the process has exited
   * @throws Error when there is no such command
   */
  static async start(
    { command, args, env, cwd }: StdioServer,
    limits: SessionLimits,
    onEnd: (session: Session, end: SessionEnd) => void,
  ): Promise<Session> {
    const stdio = new StdioClientTransport({
      command,
      args,
      env,
      stderr: 'inherit',
      maxBufferSize: limits.messageBytes,
      ...(cwd === undefined ? {} : { cwd }),
    });
    await stdio.start();
    const session = new Session(stdio, limits, onEnd);
    await session.http.start();
    return session;
  }

  /** Whether the session is at its limit. Notifications still pass, since one of them may cancel a request. */
  isTooBusyFor(body: unknown): boolean {
    const asks = [body].flat().some((message) => isJSONRPCRequest(message));
    return this.unsent >= this.limits.pending || (asks && this.unanswered.size >= this.limits.pending);
  }

  /** @param body of a POST, parsed */
  handle(request: Request, body: unknown): Promise<Response> {
    this.idle.refresh();
    return this.http.handleRequest(request, body === undefined ? {} : { parsedBody: body });
  }

  /** Answers requests in flight with an error, closes the streams, and waits until the process has exited. */
  end(reason: SessionEnd): Promise<void> {
    this.ending ??= this.close(reason);
    return this.ending;
  }

  private async close(reason: SessionEnd): Promise<void> {
    clearTimeout(this.idle);
    const error = { code: -32_000, message: 'The server exited before it answered.' };
    await Promise.all([...this.unanswered].map((id) => this.toClient({ jsonrpc: '2.0', id, error })));
    await this.http.close();
    // End of input first, then signals: the process may have something to save.
    await this.stdio.close();
    this.onEnd(this, reason);
  }

  private toProcess(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) {
      this.requests += 1;
      this.unanswered.add(message.id);
    }
    // A cancelled request needs no answer.
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      this.unanswered.delete(message.params?.['requestId'] as RequestId);
    }
    this.unsent += 1;
    this.stdio
      .send(message)
      .catch(() => this.end('process_ended'))
      .finally(() => (this.unsent -= 1));
  }

  private async toClient(message: JSONRPCMessage): Promise<void> {
    const answers = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
    if (answers && message.id !== undefined) this.unanswered.delete(message.id);
    // Fails when the client has hung up: nobody is left to read the answer.
    await this.http.send(message).catch(() => undefined);
  }
}
