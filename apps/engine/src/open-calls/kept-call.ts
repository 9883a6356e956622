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
/** The largest integer of a column. */
const mostPollMs = 2_147_483_647;
/** After the first try that failed. */
const firstPauseMs = 5_000;

/** @param before as it has waited until now; null: it was just made */
export function keptCall(
  call: CallColumns,
  { server, questions: asked, state, task }: McpCallWaits,
  before: OpenCall | null,
  { settings, token }: { settings: EngineSettings; token: string },
): Kept {
  const isKnown = task !== undefined && before?.task_id === task.id;
  const seen = isKnown ? before.seen : [];
  const questions = Object.fromEntries(Object.entries(asked).filter(([key]) => !seen.includes(key)));
  const keys = Object.keys(questions);
  const asks = keys.length > 0;
  const rounds = (before?.rounds ?? 0) + (asks || !task ? 1 : 0);
  if (rounds > settings.CALL_INPUT_ROUNDS) return 'too_many';
  const taskMs = Math.min(settings.CALL_TASK_WAIT_MS, task?.ttl_ms ?? Infinity);
  // From when the call became this task: before that the server may have waited for the user, for as long as it likes.
  const until = isKnown ? before.expires_at : new Date(Date.now() + (task ? taskMs : settings.CALL_INPUT_WAIT_MS));
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
    // As seldom as the server likes, it is looked at within a minute.
    poll_ms: task ? Math.ceil(Math.min(Math.max(task.poll_ms, settings.CALL_TASK_LOOK_MS), mostPollMs)) : null,
    seen: [...seen, ...keys],
    token: asks ? token : (before?.token ?? null),
    expires_at: until,
  };
}

/** After which time its turn looks at it again. */
export function lookMsOf({ state, poll_ms: pollMs, expires_at: until }: OpenCall): number {
  const wantedMs = state === 'task' ? (pollMs ?? repeatMs) : state === 'answered' ? repeatMs : longestLookMs;
  return Math.max(0, Math.min(wantedMs, longestLookMs, until.getTime() - Date.now()));
}

/** After which time a call is tried again whose server is away: twice the last pause. */
export function pauseMsOf({ poll_ms: lastMs, task_id: taskId, expires_at: until }: OpenCall): number {
  const pauseMs = Math.max(firstPauseMs, 2 * (lastMs ?? 0));
  // A task is looked at once more when its time is over.
  return taskId === null ? pauseMs : Math.max(0, Math.min(pauseMs, longestLookMs, until.getTime() - Date.now()));
}

/** How often answers were to be sent and could not be. */
export function failedTriesOf({ poll_ms: lastMs }: OpenCall): number {
  return lastMs === null ? 0 : 1 + Math.round(Math.log2(lastMs / firstPauseMs));
}
