import { type CallToolResult, type InputRequiredResult, isCallToolResult } from '@modelcontextprotocol/client';
import { plainText } from '../tools/plain-text.js';
import { McpError } from './mcp-error.js';
import { taskIn } from './task-messages.js';

/** A task of a server (SEP-2663). */
export interface ServerTask {
  id: string;
  pollMs: number;
  ttlMs: number | null;
  words: string | null;
}

/** What a server answers to a call. `requests`: what it asks for first, by its keys. */
export type CallOutcome =
  | { is: 'result'; result: CallToolResult }
  | { is: 'input'; requests: Record<string, unknown>; state?: string }
  | { is: 'task'; task: ServerTask; requests: Record<string, unknown> };

const maxId = 1_000;
const maxWords = 200;
const usualPollMs = 5_000;

/** @throws McpError `protocol_error` when it is a task that cannot be asked for */
export function outcomeOf(answer: CallToolResult | InputRequiredResult): CallOutcome {
  if (answer.resultType === 'input_required') {
    const { inputRequests: requests = {}, requestState: state } = answer as InputRequiredResult;
    return { is: 'input', requests, ...(state === undefined ? {} : { state }) };
  }
  const task = taskIn(answer);
  return task === null
    ? { is: 'result', result: answer as CallToolResult }
    : { is: 'task', task: readTask(task), requests: {} };
}

/**
 * What has become of a task, by the answer to `tasks/get`.
 * @throws McpError `refused` when it has failed or was cancelled at the server, `protocol_error`
 */
export function taskOutcome(answer: unknown): CallOutcome {
  const { status, statusMessage, result, error, inputRequests } = (answer ?? {}) as Record<string, unknown>;
  if (status === 'completed') {
    if (!isCallToolResult(result)) throw odd('a task has ended with what is no result of a tool');
    return { is: 'result', result };
  }
  if (status === 'failed' || status === 'cancelled') {
    const reported = status === 'failed' ? (error as { message?: unknown } | null)?.message : statusMessage;
    const words = typeof reported === 'string' && reported !== '' ? `: ${reported}` : '';
    throw new McpError(
      'refused',
      `the server's task ${status === 'failed' ? 'has failed' : 'was cancelled'}${words}`,
      true,
    );
  }
  const task = readTask(answer);
  if (status === 'working') return { is: 'task', task, requests: {} };
  if (status !== 'input_required') throw odd(`a task has the state ${JSON.stringify(status) ?? 'nothing'}`);
  return { is: 'task', task, requests: (inputRequests ?? {}) as Record<string, unknown> };
}

function readTask(given: unknown): ServerTask {
  const {
    taskId: id,
    pollIntervalMs: poll,
    ttlMs: ttl,
    statusMessage: words,
  } = (given ?? {}) as Record<string, unknown>;
  if (typeof id !== 'string' || id === '' || id.length > maxId) throw odd('a task has no usable id');
  return {
    id,
    pollMs: typeof poll === 'number' && poll > 0 ? poll : usualPollMs,
    ttlMs: typeof ttl === 'number' && ttl > 0 ? ttl : null,
    words: typeof words === 'string' && words !== '' ? plainText(words).slice(0, maxWords) : null,
  };
}

const odd = (message: string): McpError => new McpError('protocol_error', message, true);
