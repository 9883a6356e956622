import { Client, type FetchLike, SSEClientTransport } from '@modelcontextprotocol/client';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TransportKind } from '../entities/mcp-server.entity.js';
import { AnsweredTransport } from './answered-transport.js';
import { type KnownSession, McpConnection } from './mcp-connection.js';
import { httpStatus, McpError, toMcpError } from './mcp-error.js';
import { sessionFetch } from './session-loss.js';
import { asReceived } from './task-messages.js';

export interface ConnectionTarget {
  url: string;
  fetch: FetchLike;
  connectTimeoutMs: number;
  /** The server is known to be older than 2026-07-28: it is initialised, not asked which revisions it knows. */
  initializes?: true;
  /** Called when the server reports that its list of tools changed. */
  onListChanged: () => void;
}

/** By streamable HTTP, or SSE if the server supports nothing else. @throws McpError */
export async function openConnection(target: ConnectionTarget): Promise<McpConnection> {
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
export function resumeConnection(target: ConnectionTarget, known: KnownSession): Promise<McpConnection> {
  return openBy('streamable_http', target, known);
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
      // What a server asks for comes back to the caller of the tool, who can wait for a person.
      inputRequired: { autoFulfill: false },
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
    const options = { timeout: target.connectTimeoutMs, signal: timer };
    const prior = target.initializes ? { prior: { kind: 'legacy' as const } } : {};
    await Promise.race([client.connect(transport, { ...options, ...prior }), late]);
  } catch (error) {
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
    throw error;
  }
  if (transport instanceof AnsweredTransport) {
    const { onmessage: heard } = transport;
    transport.onmessage = (message) => heard?.(asReceived(message));
  }
  connection = new McpConnection(client, transport, kind, known, target.connectTimeoutMs);
  return connection;
}

/** A server of the 2024 protocol has no POST at its URL and answers 4xx. Others that name their reason do not mean that. */
function speaksNoStreamableHttp(error: unknown): boolean {
  const status = httpStatus(error);
  return status !== null && status >= 400 && status < 500 && ![401, 403, 421, 429].includes(status);
}

function notMcp(first: McpError): McpError {
  const status = httpStatus(first);
  const suffix = status === 404 || status === 405 ? '' : ` (${first.message})`;
  return new McpError(
    'protocol_error',
    `no MCP server answers at this URL, by streamable HTTP or SSE${suffix}`,
    false,
    {
      cause: first,
    },
  );
}
