import type { Backoff } from './backoff.js';

/** A class whose instances are validated payloads (class-validator decorators on its properties). */
export type PayloadClass<P extends object> = new () => P;

/**
 * What the producers and the consumer of one job agree on. `jobId` is the job's idempotency key: while a job with that
 * id waits or runs, adding it again changes nothing, so every sweeper may add without asking. It is never the only
 * guard: a handler is idempotent against its own rows, because BullMQ forgets the ids of finished jobs.
 */
export interface JobContract<P extends object = object> {
  readonly name: string;
  readonly queue: string;
  readonly payload: PayloadClass<P>;
  jobId(payload: P): string;
  /**
   * Where several rows may have one `jobId`: the id of a job for this row alone. It is used while the other id is
   * taken, so that no row's job is dropped. Absent: each row has a `jobId` of its own.
   */
  ownId?(payload: P): string;
  /** Its payload may have `surplus`: such jobs wait in a lane of their own, with consumers of their own. */
  readonly hasSurplus?: true;
  /** Its payload has the `project_id`, by whose hash its queue may be split (`QUEUE_SHARDS`). Absent: its queue is not. */
  readonly isSharded?: true;
  /**
   * No row says whether it is done, so that nothing finds it again when its process dies: Redis always keeps it. Absent:
   * a sweep does, and a consumer in the producer's process may take it without Redis.
   */
  readonly isUnswept?: true;
  /** Attempts before the job is dead-lettered, including the first. */
  readonly attempts: number;
  /** With full jitter. */
  readonly backoff: Backoff;
}

/** Keeps the payload's type while checking the shape of the contract. */
export function defineJob<P extends object>(contract: JobContract<P>): JobContract<P> {
  return contract;
}
