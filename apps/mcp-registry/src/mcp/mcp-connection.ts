import {
  type CallToolResult,
  Client,
  type FetchLike,
  type Progress,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Tool,
  type JsonSchemaType,
  type jsonSchemaValidator,
} from '@modelcontextprotocol/client';
import { compileSchema } from '#libs/tool-schema';
import type { TransportKind } from '../entities/mcp-server.entity.js';
import { plainText } from '../tools/plain-text.js';
import type { ToolDefinition } from '../tools/tool-definition.js';
import { AnsweredTransport } from './answered-transport.js';
import { onBehalfOf } from './guarded-fetch.js';
import { httpStatus, McpError, toMcpError } from './mcp-error.js';
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { mayHaveActed, saysToEverything, sessionFetch } from './session-loss.js';

/** Checks a result against its tool's output schema, with patterns whose run time is bounded. */
const outputCheck: jsonSchemaValidator = {
  getValidator: <T>(schema: JsonSchemaType) => {
    const check = compileSchema({ ...schema });
    return (input: unknown) =>
      check(input)
        ? { valid: true as const, data: input as T, errorMessage: undefined }
        : { valid: false as const, data: undefined, errorMessage: whatIsWrong(check.errors?.[0]) };
  },
};

const whatIsWrong = (error: { instancePath: string; message?: string } | undefined): string =>
  `${error?.instancePath || 'it'} ${error?.message ?? 'is not valid'}`;

export interface ConnectionTarget {
  url: string;
  fetch: FetchLike;
  connectTimeoutMs: number;
  /** Called when the server reports that its list of tools changed. */
  onListChanged: () => void;
}

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

const seconds = (ms: number): string => `${ms / 1_000} s`;

type Transport = StreamableHTTPClientTransport | SSEClientTransport;

/** An initialised connection to one MCP server: streamable HTTP, or SSE if the server supports nothing else. */
export class McpConnection {
  private ended = false;
  /** The session's id; of an event stream, which is a session, one of our own. Null: the server keeps none. */
  readonly session: string | null;

  private constructor(
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

  /** @throws McpError */
  static async open(target: ConnectionTarget): Promise<McpConnection> {
    try {
      return await openBy('streamable_http', target);
    } catch (error) {
      if (!speaksNoStreamableHttp(error)) throw toMcpError(error);
      const first = toMcpError(error);
      return openBy('sse', target).catch((second: unknown) => {
        const failure = toMcpError(second);
        throw failure.code === 'auth_failed' || failure.code === 'timeout' ? failure : notMcp(first);
      });
    }
  }

  /** Goes on with a session; whether the server still has it shows with the first request. @throws McpError */
  static resume(target: ConnectionTarget, known: KnownSession): Promise<McpConnection> {
    return openBy('streamable_http', target, known);
  }

  static of(
    client: Client,
    transport: Transport,
    kind: TransportKind,
    known: KnownSession | null,
    { connectTimeoutMs }: ConnectionTarget,
  ): McpConnection {
    return new McpConnection(client, transport, kind, known, connectTimeoutMs);
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

  /** @throws McpError; a failure that the tool itself reports is a result with `isError` */
  async call(
    definition: ToolDefinition,
    args: Record<string, unknown>,
    { silenceMs, maxMs, onProgress }: CallLimits,
    signal?: AbortSignal,
  ): Promise<CallToolResult> {
    const late = new AbortController();
    const tooLong = `no answer within ${seconds(maxMs)} in all, the limit MCP_CALL_MAX_MS`;
    const timer = setTimeout(() => late.abort(new McpError('timeout', tooLong, true)), maxMs);
    const ended = AbortSignal.any([late.signal, ...(signal ? [signal] : [])]);
    try {
      return await this.within(Math.min(silenceMs, maxMs), ended, (options) =>
        this.client.callTool(
          { name: definition.name, arguments: args },
          { ...options, onprogress: onProgress, resetTimeoutOnProgress: true, toolDefinition: sdkTool(definition) },
        ),
      );
    } catch (error) {
      if (!(error instanceof McpError) || error.cause === undefined || error.code !== 'timeout') throw error;
      const silent = `no answer and no progress within ${seconds(silenceMs)}, the limit MCP_CALL_TIMEOUT_MS or timeout_ms`;
      throw new McpError('timeout', silenceMs < maxMs ? silent : tooLong, error.sent, { cause: error });
    } finally {
      clearTimeout(timer);
    }
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

async function openBy(
  kind: TransportKind,
  target: ConnectionTarget,
  known: KnownSession | null = null,
): Promise<McpConnection> {
  const url = new URL(target.url);
  const client = new Client(
    { name: 'gatehouse', version: '1' },
    {
      capabilities: {},
      jsonSchemaValidator: outputCheck,
      ...(kind === 'streamable_http' ? { versionNegotiation: { mode: 'auto' as const } } : {}),
      listChanged: { tools: { autoRefresh: false, onChanged: () => target.onListChanged() } },
    },
  );
  let connection: McpConnection | null = null;
  const fetch = sessionFetch(target.fetch, kind, (answered) => {
    connection?.markLost();
    if (kind !== 'sse') return;
    // Calls that wait for an answer on the old stream would wait until their time-out. A refusal is thrown before.
    void answered.then(() => nextTurn()).then(() => client.close().catch(() => undefined));
  });
  const transport =
    kind === 'streamable_http'
      ? new AnsweredTransport(
          url,
          fetch,
          known ? { sessionId: known.session, protocolVersion: known.protocolVersion } : {},
        )
      : new SSEClientTransport(url, { fetch });
  const timer = AbortSignal.timeout(target.connectTimeoutMs);
  const late = new Promise<never>((_resolve, reject) =>
    timer.addEventListener(
      'abort',
      () => reject(new McpError('timeout', 'the handshake did not complete in time', true)),
      {
        once: true,
      },
    ),
  );
  try {
    await Promise.race([client.connect(transport, { timeout: target.connectTimeoutMs, signal: timer }), late]);
  } catch (error) {
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
    throw error;
  }
  connection = McpConnection.of(client, transport, kind, known, target);
  return connection;
}

/** A server of the 2024 protocol has no POST at its URL and answers 4xx. Others that name their reason do not mean that. */
function speaksNoStreamableHttp(error: unknown): boolean {
  const status = httpStatus(error);
  return status !== null && status >= 400 && status < 500 && ![401, 403, 421, 429].includes(status);
}

function notMcp(first: McpError): McpError {
  const status = httpStatus(first);
  const said = status === 404 || status === 405 ? '' : ` (${first.message})`;
  return new McpError('protocol_error', `no MCP server answers at this URL, by streamable HTTP or SSE${said}`, false, {
    cause: first,
  });
}

function sdkTool({ name, input_schema: inputSchema, output_schema: outputSchema }: ToolDefinition): Tool {
  return { name, inputSchema, ...(outputSchema ? { outputSchema } : {}) } as Tool;
}

/** A Standard Schema that accepts anything. */
const anything = {
  '~standard': { version: 1 as const, vendor: 'gatehouse', validate: (value: unknown) => ({ value }) },
};
