/**
 * In the FROM of a statement that writes: its transaction is committed without waiting for the disk. For what is between
 * two effects on the world alone: Postgres loses the newest such commits when it is killed, in order and never one without
 * those after it, and the custody of the hop before runs them again. What the outside was told (an answer of ours, a
 * delivery, a call of a tool) is committed before, and waits.
 */
export const asynchronousCommit = "set_config('synchronous_commit', 'off', true) AS unflushed";
