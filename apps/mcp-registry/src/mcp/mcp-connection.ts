import {
  type CallToolResult,
  type Client,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  type Progress,
  type SSEClientTransport,
  StreamableHTTPClientTransport,
  type Tool,
} from '@modelcontextprotocol/client';
import type { TransportKind } from '../entities/mcp-server.entity.js';
import { plainText } from '../tools/plain-text.js';
import type { ToolDefinition } from '../tools/tool-definition.js';
import { type CallOutcome, outcomeOf, taskOutcome } from './call-outcome.js';
import { onBehalfOf } from './guarded-fetch.js';
import { McpError, toMcpError } from './mcp-error.js';
import { randomUUID } from 'node:crypto';
import { checkOutput } from './output-check.js';
import { isLostSession, mayHaveActed, saysToEverything } from './session-loss.js';
import { type TaskMethod, taskRequest, tasksExtension } from './task-messages.js';

/** A session that a server has for a client, which another process may have opened. */
export interface KnownSession {
  session: string;
  protocolVersion: string;
}

/** How long a call may be silent, and how long it may take in all. */
export interface CallLimits {
  silenceMs: number;
  maxMs: number;
  onProgress: (progress: Progress) => void;
}

/** What the caller of a tool can do for its server, and what it has for it since the server asked. */
export interface CallerSide {
  /** It asks the user. */
  asks: boolean;
  /** It waits for a task. */
  waits: boolean;
  answers?: Record<string, unknown>;
  state?: string;
}

const seconds = (ms: number): string => `${ms / 1_000} s`;

type Transport = StreamableHTTPClientTransport | SSEClientTransport;

/** An initialised connection to one MCP server. */
export class McpConnection {
  private ended = false;
  /** The session's id; of an event stream, which is a session, one of our own. Null: the server keeps none. */
  readonly session: string | null;

  /** @param resumed the session that it goes on with; null: one of its own */
  constructor(
    private readonly client: Client,
    private readonly transport: Transport,
    readonly kind: TransportKind,
    private readonly resumed: KnownSession | null,
    private readonly pingMs: number,
  ) {
    this.session = transport instanceof StreamableHTTPClientTransport ? (transport.sessionId ?? null) : randomUUID();
    client.onclose = () => {
      this.ended = true;
    };
  }

  /** The server does not know its session any more. */
  markLost(): void {
    this.ended = true;
  }

  get usable(): boolean {
    return !this.ended;
  }

  get serverInfo(): { name: string; version: string } | null {
    const info = this.client.getServerVersion();
    return info ? { name: plainText(info.name).slice(0, 200), version: plainText(info.version).slice(0, 100) } : null;
  }

  get protocolVersion(): string | null {
    return this.client.getNegotiatedProtocolVersion() ?? this.resumed?.protocolVersion ?? null;
  }

  /** It wants arguments as headers where a tool's schema says so (SEP-2243). */
  get mirrorsArguments(): boolean {
    return this.client.getProtocolEra() === 'modern';
  }

  /** A resumed session does not say what the server can do. It had tools. */
  get hasTools(): boolean {
    return this.resumed !== null || this.client.getServerCapabilities()?.tools !== undefined;
  }

  /** One page of `tools/list`, not parsed: a single bad definition must not hide the others. @throws McpError */
  listPage(cursor: string | undefined, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
    return this.within(timeoutMs, signal, (options) =>
      this.client.request(
        { method: 'tools/list', ...(cursor === undefined ? {} : { params: { cursor } }) },
        anything,
        options,
      ),
    );
  }

  /**
   * @param side absent: it is declared that nobody is asked and that nothing waits
   * @throws McpError; a failure that the tool itself reports is a result with `isError`, but for a lost session
   */
  async call(
    definition: ToolDefinition,
    args: Record<string, unknown>,
    { silenceMs, maxMs, onProgress }: CallLimits,
    signal?: AbortSignal,
    side: CallerSide = { asks: false, waits: false },
  ): Promise<CallOutcome> {
    const late = new AbortController();
    const tooLong = `no answer within ${seconds(maxMs)} in all, the limit MCP_CALL_MAX_MS`;
    const timer = setTimeout(() => late.abort(new McpError('timeout', tooLong, true)), maxMs);
    const ended = AbortSignal.any([late.signal, ...(signal ? [signal] : [])]);
    try {
      const { answers, state } = side;
      const params = {
        name: definition.name,
        arguments: args,
        ...(answers === undefined ? {} : { inputResponses: answers }),
        ...(state === undefined ? {} : { requestState: state }),
        ...this.declared(side),
      };
      const answer = await this.within<CallToolResult | InputRequiredResult>(
        Math.min(silenceMs, maxMs),
        ended,
        (options) =>
          this.client.callTool(params, {
            ...options,
            onprogress: onProgress,
            resetTimeoutOnProgress: true,
            toolDefinition: sdkTool(definition),
            allowInputRequired: true,
          }),
      );
      const outcome = outcomeOf(answer);
      if (outcome.is !== 'result') return outcome;
      const list = () => this.listPage(undefined, this.pingMs, ended);
      if (this.session === null || !(await isLostSession(outcome.result, list))) {
        checkOutput(definition, outcome.result);
        return outcome;
      }
      this.markLost();
      throw new McpError('session_lost', 'the server does not know the session, by the words of its tool', false);
    } catch (error) {
      if (!(error instanceof McpError) || error.cause === undefined || error.code !== 'timeout') throw error;
      const silent = `no answer and no progress within ${seconds(silenceMs)}, the limit MCP_CALL_TIMEOUT_MS or timeout_ms`;
      throw new McpError('timeout', silenceMs < maxMs ? silent : tooLong, error.sent, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /** What has become of a task that a call has turned into. @throws McpError */
  async lookAt(
    definition: ToolDefinition,
    taskId: string,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<CallOutcome> {
    const outcome = taskOutcome(await this.ofTask('tasks/get', { taskId }, timeoutMs, signal));
    if (outcome.is === 'result') checkOutput(definition, outcome.result);
    return outcome;
  }

  /** Gives a task what it asked for. The server ignores what it has already. @throws McpError */
  async answer(
    taskId: string,
    answers: Record<string, unknown>,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.ofTask('tasks/update', { taskId, inputResponses: answers }, timeoutMs, signal);
  }

  /** Asks the server to stop. @throws McpError */
  async cancelTask(taskId: string, timeoutMs: number): Promise<void> {
    await this.ofTask('tasks/cancel', { taskId }, timeoutMs);
  }

  private ofTask(
    method: TaskMethod,
    params: Record<string, unknown>,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const side = { asks: true, waits: true };
    const request = { method: taskRequest(method), params: { ...params, ...this.declared(side) } };
    return this.within(timeoutMs, signal, (options) => this.client.request(request, anything, options));
  }

  /** A server may only use what the client declares, in each request. Before 2026 it is declared once, and that is nothing. */
  private declared({ asks, waits }: CallerSide): { _meta?: Record<string, unknown> } {
    if (this.client.getProtocolEra() !== 'modern') return {};
    const capabilities: ClientCapabilities = {
      ...(asks ? { elicitation: { form: {}, url: {} } } : {}),
      ...(waits ? { extensions: { [tasksExtension]: {} } } : {}),
    };
    return { _meta: { [CLIENT_CAPABILITIES_META_KEY]: capabilities } };
  }

  /** Ends the session, if the server keeps one, and closes. A refusal does not matter. @param withinMs for an answer */
  async end(withinMs: number): Promise<void> {
    this.ended = true;
    const timer = setTimeout(() => void this.close(), withinMs);
    if (this.transport instanceof StreamableHTTPClientTransport) {
      await this.transport.terminateSession().catch(() => undefined);
    }
    clearTimeout(timer);
    await this.close();
  }

  /** Leaves a session with the server, for whoever resumes it. */
  async close(): Promise<void> {
    this.ended = true;
    await this.client.close().catch(() => undefined);
  }

  /** Opens the stream for what the server says by itself: some end a session that does not answer there. */
  listen(): void {
    if (this.transport instanceof StreamableHTTPClientTransport) {
      void this.transport.resumeStream('').catch(() => undefined);
    }
  }

  private async within<T>(
    timeoutMs: number,
    signal: AbortSignal | undefined,
    work: (options: { timeout: number; signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    const request = new AbortController();
    const giveUp = () => {
      const { reason } = signal ?? {};
      const hungUp = new McpError('cancelled', 'the caller closed the connection', true);
      request.abort(reason instanceof McpError ? reason : hungUp);
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted) giveUp();
    try {
      const options = { timeout: timeoutMs, signal: request.signal };
      return await onBehalfOf.run(request, () => work(options));
    } catch (error) {
      const failure = toMcpError(request.signal.aborted ? request.signal.reason : error);
      request.abort(failure);
      if (this.session === null || this.ended || !(await saysToEverything(failure, () => this.ping(signal))))
        throw failure;
      this.markLost();
      // It is not repeated, but the next one has another session.
      if (mayHaveActed(failure)) throw failure;
      const why = `the server does not know the session: ${failure.message}`;
      throw new McpError('session_lost', why, false, { cause: failure });
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  private ping(signal: AbortSignal | undefined): Promise<unknown> {
    const options = { timeout: this.pingMs, ...(signal ? { signal } : {}) };
    return onBehalfOf.run(new AbortController(), () => this.client.ping(options));
  }
}

/** Without the schema of its results: the client would hold an answer to it that is none yet. */
function sdkTool({ name, input_schema: inputSchema }: ToolDefinition): Tool {
  return { name, inputSchema } as Tool;
}

/** A Standard Schema that accepts anything. */
const anything = {
  '~standard': { version: 1 as const, vendor: 'gatehouse', validate: (value: unknown) => ({ value }) },
};
