import { Redis } from 'ioredis';

/**
 * A producer fails fast: the answer to a provider must not wait for Redis, and whatever is not added now is added by
 * the sweeper of the service that owns the row.
 */
export function producerConnection(url: string): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    commandTimeout: 2_000,
    disableClientInfo: true,
    retryStrategy: (times) => Math.min(times * 50, 1_000),
  });
  // ioredis emits every reconnect failure; without a listener the first one would end the process.
  redis.on('error', () => undefined);
  return redis;
}

/** A consumer waits for Redis as long as it takes (BullMQ requires unlimited retries for its blocking reads). */
export function consumerConnection(url: string): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(times * 50, 1_000),
    disableClientInfo: true,
  });
  redis.on('error', () => undefined);
  return redis;
}

/** BullMQ's key prefix of a queue; the hash tag keeps one queue's keys in one Redis Cluster slot. */
export function queuePrefix(queue: string): string {
  return `{gatehouse:${queue}}`;
}
