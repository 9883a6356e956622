/**
 * Goes into the FROM of a statement that writes: its transaction commits without waiting for the disk. Only for writes
 * between two effects on the world. When Postgres is killed it loses the newest such commits, in order, never one
 * without those after it, and the custody of the hop before runs them again. What the outside has heard (our answer, a
 * reply, a tool call) is committed before, and waits for the disk.
 */
export const asynchronousCommit = "set_config('synchronous_commit', 'off', true) AS unflushed";
