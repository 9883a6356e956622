/**
 * Sends commands to Redis one after another on a new connection.
 * @param {string} url redis://[user[:password]@]host[:port] or rediss://
 * @param {string[][]} commands
 * @param {number} [timeoutMs] for the connection, and for each command
 * @returns {Promise<string[]>} one reply per command; nil is the empty text
 * @throws on a refused connection, a timeout or an error reply (NOAUTH, LOADING, …)
 */
export async function askRedis(url, commands, timeoutMs = 5_000) {
  // Imported late: the launcher installs it.
  const { Redis } = await import('ioredis');
  const client = new Redis(url, {
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
