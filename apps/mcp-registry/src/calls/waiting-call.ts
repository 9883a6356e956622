import type { McpCallWaits } from '#libs/contracts';
import type { McpServer } from '../entities/mcp-server.entity.js';
import type { CallOutcome } from '../mcp/call-outcome.js';
import type { CallLimits, McpConnection } from '../mcp/mcp-connection.js';
import { McpError } from '../mcp/mcp-error.js';
import type { ToolDefinition } from '../tools/tool-definition.js';
import { readQuestions } from './questions.js';
import type { CallTool } from './tool-call.dto.js';

/** Makes a call, or goes on with one that waits. @throws McpError */
export async function talk(
  connection: McpConnection,
  definition: ToolDefinition,
  { arguments: args, continued = {}, may_ask: asks = false, may_wait: waits = false }: CallTool,
  limits: CallLimits,
  signal: AbortSignal | undefined,
): Promise<CallOutcome> {
  const { task_id: taskId, answers, state, cancel } = continued;
  if (taskId === undefined) {
    const given = { ...(answers === undefined ? {} : { answers }), ...(state === undefined ? {} : { state }) };
    return connection.call(definition, args, limits, signal, { asks, waits, ...given });
  }
  if (cancel) {
    await connection.cancelTask(taskId, limits.silenceMs);
    throw new McpError('cancelled', 'the task was cancelled', true);
  }
  if (answers !== undefined) await connection.answer(taskId, answers, limits.silenceMs, signal);
  return connection.lookAt(definition, taskId, limits.silenceMs, signal);
}

/**
 * What the engine has to do before the call has a result. It keeps all of it, so it is bounded.
 * @throws McpError `input_refused`
 */
export function waitsOf(
  { id, name }: McpServer,
  outcome: Exclude<CallOutcome, { is: 'result' }>,
  mayAsk: boolean,
  maxBytes: number,
): McpCallWaits {
  const questions = readQuestions(outcome.requests);
  if (Object.keys(questions).length > 0 && !mayAsk) {
    throw new McpError('input_refused', 'the server asks the user for something, and there is nobody to ask', true);
  }
  const waits: McpCallWaits = { server: { id, name }, questions };
  if (outcome.is === 'input' && outcome.state !== undefined) waits.state = outcome.state;
  if (outcome.is === 'task') {
    const { id: taskId, pollMs, ttlMs, words } = outcome.task;
    waits.task = { id: taskId, poll_ms: pollMs, ttl_ms: ttlMs, words };
  }
  if (Buffer.byteLength(JSON.stringify(waits)) <= maxBytes) return waits;
  const what = `the server asks for something in more than ${maxBytes} bytes (MCP_WAIT_BYTES)`;
  throw new McpError('input_refused', what, true);
}
