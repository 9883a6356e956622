import { type JobContract, jobs } from '#libs/contracts';

/** Whether a queue is split: its jobs carry their project. */
export const isSharded = (queue: string): boolean =>
  jobs.some((job: JobContract) => job.queue === queue && job.isSharded === true);

/** The shard of a job's queue, by its project; 0 for a job that has none, or whose queue is not split. */
export function shardOf(contract: JobContract, payload: Record<string, unknown>, shards: number): number {
  const project = payload['project_id'];
  if (shards === 1 || contract.isSharded !== true || typeof project !== 'string') return 0;
  return jump(fnv1a(project), shards);
}

/**
 * Jump consistent hash (Lamping and Veach, 2014): with one shard more, only the projects that move to it move at all, so
 * a change of the number leaves most jobs where the others of their project are.
 */
function jump(hash: number, shards: number): number {
  let [shard, state] = [0, hash];
  for (let next = 0; next < shards;) {
    shard = next;
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    next = Math.floor(((shard + 1) * 2 ** 32) / (state + 1));
  }
  return shard;
}

/** FNV-1a, 32 bits. It only has to spread ids, which are ASCII. */
function fnv1a(text: string): number {
  let hash = 2_166_136_261;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  return hash >>> 0;
}

/** A queue or lane with its shard, for logs and for whoever hands jobs over; shard 0 has the queue's own name. */
export const shardName = (name: string, shard: number): string => (shard === 0 ? name : `${name}/${shard}`);
