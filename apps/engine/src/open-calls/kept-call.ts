import type { McpCallWaits } from '#libs/contracts';
import type { OpenCall } from '../entities/open-call.entity.js';
import type { EngineSettings } from '../settings.js';
import type { KeptCall } from './open-call.repository.js';

/** What a call is stored as that waits; `too_many`: its server has asked too often. */
export type Kept = KeptCall | 'too_many';

type CallColumns = Omit<
  KeptCall,
  | 'server_id'
  | 'server_name'
  | 'state'
  | 'rounds'
  | 'questions'
  | 'request_state'
  | 'task_id'
  | 'poll_ms'
  | 'seen'
  | 'token'
  | 'expires_at'
>;

/** Nobody wakes a turn whose answer was lost on the way, so it looks by itself. */
const longestLookMs = 60_000;
/** A server that asks for nothing wants only to be asked again. */
const repeatMs = 1_000;

/** @param before as it has waited until now; null: it was just made */
export function keptCall(
  call: CallColumns,
  { server, questions: asked, state, task }: McpCallWaits,
  before: OpenCall | null,
  { settings, token }: { settings: EngineSettings; token: string },
): Kept {
  const seen = task && before?.task_id === task.id ? before.seen : [];
  const questions = Object.fromEntries(Object.entries(asked).filter(([key]) => !seen.includes(key)));
  const keys = Object.keys(questions);
  const asks = keys.length > 0;
  const rounds = (before?.rounds ?? 0) + (asks || !task ? 1 : 0);
  if (rounds > settings.CALL_INPUT_ROUNDS) return 'too_many';
  const beganMs = before?.task_id ? before.created_at.getTime() : Date.now();
  const taskMs = Math.min(settings.CALL_TASK_WAIT_MS, task?.ttl_ms ?? Infinity);
  return {
    ...call,
    server_id: server.id,
    server_name: server.name,
    // Without a question there is nothing to answer: the server gets back what it wanted.
    state: asks ? 'asking' : task ? 'task' : 'answered',
    rounds,
    questions,
    request_state: state ?? null,
    task_id: task?.id ?? null,
    poll_ms: task ? Math.max(task.poll_ms, settings.CALL_TASK_LOOK_MS) : null,
    seen: [...seen, ...keys],
    token: asks ? token : (before?.token ?? null),
    expires_at: new Date(task ? beganMs + taskMs : Date.now() + settings.CALL_INPUT_WAIT_MS),
  };
}

/** After which time its turn looks at it again. */
export function lookMsOf({ state, poll_ms: pollMs, expires_at: until }: OpenCall): number {
  const wantedMs = state === 'task' ? (pollMs ?? repeatMs) : state === 'answered' ? repeatMs : longestLookMs;
  return Math.max(0, Math.min(wantedMs, longestLookMs, until.getTime() - Date.now()));
}
