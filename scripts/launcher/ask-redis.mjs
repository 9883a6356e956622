import { readFileSync } from 'node:fs';

/**
 * Sends commands to Redis one after another on a new connection.
 * @param {string} url as REDIS_URL: of a Cluster, its first node is asked; of Sentinels, the first of them
 * @param {string[][]} commands
 * @param {number} [timeoutMs] for the connection, and for each command
 * @returns {Promise<string[]>} one reply per command; nil is the empty text
 * @throws on a refused connection, a timeout or an error reply (NOAUTH, LOADING, …)
 */
export async function askRedis(url, commands, timeoutMs = 5_000) {
  // Imported late: the launcher installs it.
  const { Redis } = await import('ioredis');
  const client = new Redis({
    ...firstNode(url),
    lazyConnect: true,
    enableReadyCheck: false,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    protocol: 2,
    retryStrategy: null,
  });
  /** @type {Error | undefined} what `connect` says is only that the connection was closed */
  let failure;
  client.on('error', (error) => (failure ??= error));
  try {
    await client.connect();
    const replies = [];
    for (const [command = '', ...words] of commands) replies.push(String((await client.call(command, ...words)) ?? ''));
    return replies;
  } catch (error) {
    throw failure ?? error;
  } finally {
    client.disconnect();
  }
}

/**
 * One server of those that a REDIS_URL names, as ioredis understands it.
 * @param {string} text
 */
function firstNode(text) {
  const url = new URL(text);
  const [, scheme = '', kind] = /^(rediss?)(?:\+(cluster|sentinel))?:/.exec(text) ?? [];
  const password = kind === 'sentinel' ? url.searchParams.get('sentinel_password') : decodeURIComponent(url.password);
  const username = kind === 'sentinel' ? '' : decodeURIComponent(url.username);
  const ca = url.searchParams.get('ca');
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port) || (kind === 'sentinel' ? 26_379 : 6_379),
    ...(username && { username }),
    ...(password && { password }),
    ...(scheme === 'rediss' && { tls: ca ? { ca: readFileSync(ca) } : {} }),
    ...(!kind && { db: Number(url.pathname.slice(1)) || 0 }),
  };
}
