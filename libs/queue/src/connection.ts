import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisHealth } from './health/redis-health.js';
import { redisAddress } from './redis-address.js';
import { masterConnector } from './sentinels/master-connector.js';
import { takeQuietly } from './take-script.js';

/** One server, the master that Sentinels name, or a Cluster. */
export type RedisConnection = Redis | Cluster;

type Noting = Pick<RedisHealth, 'note'>;

const retryStrategy = (times: number): number => Math.min(times * 50, 1_000);

/**
 * A producer fails fast: the answer to a provider must not wait for Redis. A job that cannot be added now is added
 * later by the sweeper of the service that owns the row.
 */
export function producerConnection(url: string, health: Noting): RedisConnection {
  return connect(url, health, {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    commandTimeout: 2_000,
    // A connection that only this end believes in would otherwise refuse everything for a quarter of an hour.
    socketTimeout: 3_000,
  });
}

/** A consumer waits for Redis as long as it takes (BullMQ requires unlimited retries for its blocking reads). */
export function consumerConnection(url: string, health: Noting): RedisConnection {
  // Its longest blocking read takes 10 s.
  const connection = connect(url, health, { maxRetriesPerRequest: null, socketTimeout: 12_000 });
  takeQuietly(connection);
  return connection;
}

function connect(url: string, health: Noting, how: RedisOptions): RedisConnection {
  const connection = open(url, { ...how, disableClientInfo: true });
  // ioredis emits every failed reconnect; without a listener the first one would end the process.
  connection.on('error', (error) => health.note(error));
  return connection;
}

function open(url: string, how: RedisOptions): RedisConnection {
  const { kind, nodes, db, tls, master, sentinelPassword, ...user } = redisAddress(url);
  const secured = { ...user, ...(tls && { tls }) };
  if (kind === 'cluster') {
    const { enableOfflineQueue = true, ...redisOptions } = how;
    return new Cluster(nodes, {
      clusterRetryStrategy: retryStrategy,
      enableOfflineQueue,
      // Names are passed on unresolved: a certificate is for the name, not for the address behind it.
      dnsLookup: (address, callback) => callback(null, address),
      redisOptions: { ...redisOptions, ...secured },
    });
  }
  if (kind === 'sentinel') {
    return new Redis({
      ...how,
      ...secured,
      retryStrategy,
      Connector: masterConnector(
        { nodes, master, ...(sentinelPassword && { password: sentinelPassword }), ...(tls && { tls }) },
        retryStrategy,
      ),
    });
  }
  return new Redis({ ...how, ...secured, ...nodes[0], db, retryStrategy });
}

/** BullMQ's name for the lane that holds a queue's surplus, under the prefix of that queue. */
export function surplusLane(queue: string): string {
  return `${queue}-surplus`;
}

/**
 * BullMQ's key prefix of a shard of a queue. The hash tag keeps one shard's keys in one slot of a Redis Cluster. Because
 * of its `q`, the four queues of a message's path lie in four different quarters of the slots. Because of its `x`, so do
 * shards 0 to 3 of each of these queues, and shards 0 and 1 in different halves and thirds.
 */
export function queuePrefix(queue: string, shard = 0): string {
  return shard === 0 ? `{gatehouse:q:${queue}}` : `{gatehouse:q:${queue}:shard:${shard}x}`;
}
