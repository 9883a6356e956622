import type { JobJson } from 'bullmq';
import type { Redis } from 'ioredis';

/**
 * BullMQ's script that takes a job wakes the next consumer for whatever may be left. When nothing is left, that one
 * looks twice in vain: more than half of what a job of a quiet queue asked Redis for. Here it wakes nobody then, and the
 * answer says so, with the time of the next delayed job (0: none), in the place of the name of a consumer, which ours
 * do not have.
 */
const changes: [theirs: string, ours: string][] = [
  [
    '  addBaseMarkerIfNeeded(markerKey, false)\n',
    `  local taken = rcall("HGETALL", jobKey)
  if rcall("LLEN", KEYS[1]) > 0 or rcall("ZCARD", KEYS[3]) > 0 then
    addBaseMarkerIfNeeded(markerKey, false)
  else
    table.insert(taken, "pb")
    table.insert(taken, string.format("last %.0f", getNextDelayedTimestamp(KEYS[7]) or 0))
  end
`,
  ],
  ['return {rcall("HGETALL", jobKey), jobId, 0, 0}', 'return {taken, jobId, 0, 0}'],
];

/** Has the consumers on a connection take jobs that way. BullMQ defines its scripts there when they start. */
export function takeQuietly(connection: Pick<Redis, 'defineCommand'>): void {
  const define = connection.defineCommand.bind(connection);
  connection.defineCommand = (name, script) => {
    define(name, name.startsWith('moveToActive:') ? { ...script, lua: changed(script.lua) } : script);
  };
}

/**
 * @returns when the next delayed job is due, in ms since the epoch, if no other job waited when this one was taken; 0:
 *   none is delayed; null: others wait
 */
export function dueAfter({ processedBy = '' }: JobJson): number | null {
  const [, due] = /^last (\d+)$/.exec(processedBy) ?? [];
  return due === undefined ? null : Number(due);
}

function changed(lua: string): string {
  return changes.reduce((script, [theirs, ours]) => {
    if (script.split(theirs).length !== 2) throw new Error(`BullMQ no longer takes a job by: ${theirs.trim()}`);
    return script.replace(theirs, () => ours);
  }, lua);
}
