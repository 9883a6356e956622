import type { JSONRPCMessage } from '@modelcontextprotocol/client';

/** The tasks extension of MCP 2026-07-28 (SEP-2663), as clients declare it. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

export type TaskMethod = 'tasks/get' | 'tasks/update' | 'tasks/cancel';

const ours = 'gatehouse/';
const carried = 'gatehouse/task';

/**
 * The client knows only the tasks of 2025. To a server of 2026 it sends no `tasks/*`, and an answer that is a task is
 * none for it. So our requests have another name until they are sent, and a task arrives in a result that carries it.
 */
export const taskRequest = (method: TaskMethod): string => ours + method;

/** The message as the server gets it. */
export function asSent<T extends JSONRPCMessage>(message: T): T {
  if (!('method' in message) || !message.method.startsWith(ours)) return message;
  return { ...message, method: message.method.slice(ours.length) };
}

/** The message as the client can read it. */
export function asReceived<T extends JSONRPCMessage>(message: T): T {
  if (!('result' in message)) return message;
  const { resultType, ...task } = message.result as Record<string, unknown>;
  if (resultType !== 'task') return message;
  return { ...message, result: { resultType: 'complete', content: [], _meta: { [carried]: task } } };
}

/** The task that an answer is; null: it is a result. */
export function taskIn({ _meta: meta }: { _meta?: unknown }): unknown {
  return ((meta ?? {}) as Record<string, unknown>)[carried] ?? null;
}
