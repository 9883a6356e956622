import { columnsOf, type McpCallAnswer, type McpSessionEnd, newId } from '#libs/contracts';
import { Sweeper } from '#libs/database';
import { notFound, type Page, pageOf, type PageQuery, type Principal } from '#libs/service-kit';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Connections } from '../mcp/connections.js';
import { McpError, type McpErrorCode } from '../mcp/mcp-error.js';
import type { McpServer } from '../entities/mcp-server.entity.js';
import { ServerRepository } from '../servers/server.repository.js';
import { type RegistrySettings, SETTINGS } from '../settings.js';
import { canonicalJson, sha256 } from '../tools/tool-definition.js';
import type { Tool } from '../tools/tool.entity.js';
import { ToolRepository } from '../tools/tool.repository.js';
import { progressWords } from './call-progress.js';
import { readResult } from './call-result.js';
import { talk, waitsOf } from './waiting-call.js';
import { imagesOf } from './result-images.js';
import { PythonCalls } from './python-calls.js';
import type { CallTool, CallOfToolView } from './tool-call.dto.js';
import type { ToolCall } from './tool-call.entity.js';
import { type CallEnd, ToolCallRepository } from './tool-call.repository.js';

const hourMs = 3_600_000;

/**
 * Calls tools of MCP servers for the engine. Only approved definitions are called, within limits, and each call is
 * recorded.
 */
@Injectable()
export class ToolCallService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('tool-calls');
  private readonly retention: Sweeper;

  constructor(
    private readonly tools: ToolRepository,
    private readonly servers: ServerRepository,
    private readonly records: ToolCallRepository,
    private readonly connections: Connections,
    private readonly python: PythonCalls,
    @Inject(SETTINGS) private readonly settings: RegistrySettings,
  ) {
    this.retention = new Sweeper({
      name: 'tool-calls',
      everyMs: hourMs,
      batch: 1_000,
      sweep: (limit) => this.records.dropOld(settings.CALL_RECORD_DAYS, limit),
    });
  }

  onApplicationBootstrap(): void {
    this.retention.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.retention.stop();
  }

  /** @param signal cancels the call at the server too. @param onProgress gets what the server says meanwhile */
  async call(
    caller: Principal,
    body: CallTool,
    signal?: AbortSignal,
    onProgress: (progress: string) => void = () => undefined,
  ): Promise<McpCallAnswer> {
    const tool = await this.tools.find(caller, body.tool_id);
    const server = tool?.server_id ? await this.servers.find(caller, tool.server_id) : null;
    if (!tool || !server) return refused('tool_not_found', `There is no MCP tool ${body.tool_id}.`);
    const { continued } = body;
    if (continued?.cancel) return (await this.attempt(tool, server, body, onProgress, signal)).answer;
    if (tool.state !== 'approved') return refused('tool_not_approved', `The tool ${tool.name} is ${tool.state}.`);
    // A task was begun under the pin that held then, and only its result is missing.
    if (continued?.task_id) return this.look(caller, { tool, server, body }, onProgress, signal);
    if (tool.pin !== body.pin)
      return refused('tool_changed', `The definition of ${tool.name} has changed since these arguments were made.`);
    const record = recordOf(caller, tool, server, body);
    await this.records.start(record);
    const startMs = performance.now();
    const { answer, bytes } = await this.attempt(tool, server, body, onProgress, signal);
    await this.records.end(record.id, endOf(answer, bytes, performance.now() - startMs));
    return answer;
  }

  /** At a call that has become a task. Only its end is recorded: it is looked at again and again. */
  private async look(
    caller: Principal,
    { tool, server, body }: { tool: Tool; server: McpServer; body: CallTool },
    onProgress: (progress: string) => void,
    signal: AbortSignal | undefined,
  ): Promise<McpCallAnswer> {
    const record = recordOf(caller, tool, server, body);
    const startMs = performance.now();
    const { answer, bytes } = await this.attempt(tool, server, body, onProgress, signal);
    const isOver = answer.ok ? !('waits' in answer) : !answer.retryable;
    if (isOver) await this.records.start({ ...record, ...endOf(answer, bytes, performance.now() - startMs) });
    return answer;
  }

  /** Works for removed tools too. @throws Problem 404 `tool_not_found` where the project never had such a tool */
  async list(caller: Principal, toolId: string, { limit, cursor }: PageQuery): Promise<Page<CallOfToolView>> {
    // Ids of both kinds begin with their time, so that one order holds for what people tried and what turns called.
    const tool = await this.tools.find(caller, toolId);
    const recorded = await this.records.list(caller, toolId, limit + 1, cursor && `tcl_${cursor.split('.')[0]}`);
    const called = tool?.source === 'python' ? await this.python.list(caller, tool, limit + 1, cursor) : [];
    if (recorded.length === 0 && !tool) throw notFound('tool', toolId);
    const calls = [...recorded, ...called].toSorted((a, b) => (orderOf(a) < orderOf(b) ? 1 : -1));
    return pageOf(calls.slice(0, limit + 1), limit, orderOf);
  }

  private async attempt(
    tool: Tool,
    server: McpServer,
    body: CallTool,
    onProgress: (progress: string) => void,
    signal: AbortSignal | undefined,
  ): Promise<{ answer: McpCallAnswer; bytes: number }> {
    const { definition } = tool;
    if (!definition)
      return { answer: refused('tool_not_approved', `The tool ${tool.name} has no definition.`), bytes: 0 };
    const { MCP_CALL_TIMEOUT_MS, MCP_CALL_MAX_MS: maxMs, MCP_PROGRESS_EVERY_MS: everyMs } = this.settings;
    const silenceMs = Math.min(body.timeout_ms ?? MCP_CALL_TIMEOUT_MS, maxMs);
    const limits = { silenceMs, maxMs, onProgress: progressWords(onProgress, everyMs) };
    const startedAt = new Date();
    try {
      let renewed: McpSessionEnd | null = null;
      const [turn = ''] = body.call_id.split('.');
      const outcome = await this.connections.use(server, body.conversation ?? turn, (connection, why) => {
        renewed = why;
        return talk(connection, definition, body, limits, signal);
      });
      await this.follow(server, null, startedAt);
      if (outcome.is !== 'result') {
        const waits = waitsOf(server, outcome, body.may_ask === true, this.settings.MCP_WAIT_BYTES);
        return { answer: { ok: true, waits }, bytes: 0 };
      }
      const { result } = outcome;
      if (renewed) this.logger.warn({ event: 'session.renewed', server_id: server.id, tool_id: tool.id, why: renewed });
      const { bytes, ...read } = readResult(result, this.settings.MCP_OUTPUT_BYTES);
      const images = imagesOf(result, Math.min(body.image_bytes ?? 0, this.settings.MCP_IMAGE_BYTES));
      const answer = {
        ok: true,
        is_error: result.isError === true,
        ...read,
        ...(images.length > 0 ? { images } : {}),
        ...(renewed ? { session_renewed: renewed } : {}),
      } as const;
      return { answer, bytes };
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      const { code, message, sent } = error;
      await this.follow(server, error, startedAt);
      this.logger.warn({ event: 'tool.call.failed', server_id: server.id, tool_id: tool.id, code });
      const { continued } = body;
      // To look at a task changes nothing, so it may be looked at again.
      const harmless = !sent || tool.idempotent || continued?.task_id !== undefined;
      // A call that waits is tried again by itself, so only for what may pass by itself.
      const retryable = harmless && (continued === undefined || passing.has(code));
      return { answer: { ok: false, error: code, message, retryable }, bytes: 0 };
    }
  }

  /** The health of a server follows its last call, both ways. */
  private async follow(server: McpServer, error: McpError | null, startedAt: Date): Promise<void> {
    const failed = server.health === 'auth_failed' || server.health === 'degraded';
    if (error === null || (error.sent && answered.has(error.code))) {
      if (failed) await this.servers.follow(server.id, null, startedAt);
      return;
    }
    if (undecided.has(error.code)) return;
    const health = error.code === 'auth_failed' ? 'auth_failed' : 'degraded';
    const reason = `${error.code}: ${error.message}`;
    if (server.health === health && server.health_reason === reason) return;
    await this.servers.follow(server.id, { health, reason }, startedAt);
  }
}

/** Failures of a call that the server itself reports. */
const answered = new Set<McpErrorCode>(['refused', 'input_refused', 'response_too_large']);
/** Failures that say nothing of the server: a tool may be slow, a caller may leave, others may have all sessions. */
const undecided = new Set<McpErrorCode>(['timeout', 'cancelled', 'session_lost', 'busy']);

/** Failures that may be over when the call goes on later. */
const passing = new Set<McpErrorCode>([...undecided, 'unreachable']);

function refused(error: string, message: string): McpCallAnswer {
  return { ok: false, error, message, retryable: false };
}

function endOf(answer: McpCallAnswer, bytes: number, durationMs: number): CallEnd {
  return {
    outcome: !answer.ok ? answer.error : 'waits' in answer ? 'waiting' : answer.is_error ? 'tool_error' : 'ok',
    result_bytes: bytes,
    truncated: answer.ok && !('waits' in answer) && answer.truncated,
    duration_ms: durationMs,
  };
}

function recordOf(caller: Principal, tool: Tool, server: McpServer, body: CallTool): ToolCall {
  return {
    id: newId('tcl'),
    ...columnsOf(caller),
    server_id: server.id,
    tool_id: tool.id,
    tool_name: tool.name,
    pin: body.pin,
    call_id: body.call_id,
    caller: caller.subject,
    arguments_sha256: sha256(canonicalJson(body.arguments)),
    outcome: 'started',
    result_bytes: 0,
    truncated: false,
    duration_ms: 0,
    at: new Date(),
  };
}

/** The part of an id that tells its time, and of a call in a turn its step. */
function orderOf({ id }: Pick<CallOfToolView, 'id'>): string {
  const [time = '', step] = id.replace(/^[a-z]+_/, '').split('.');
  return step === undefined ? time : `${time}.${step.padStart(7, '0')}`;
}
