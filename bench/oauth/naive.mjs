import { Redis } from 'ioredis';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/**
 * How a refresh is usually written: a Redis lock with a TTL, the request, an update of the row. It also does what
 * careful implementations do: it reads the row again under the lock, and marks it when the provider rejects the grant.
 * @type {{databaseUrl: string, redisUrl: string, tokenUrl: string, lockMs: number, port: number}}
 */
const options = JSON.parse(process.argv[2] ?? '{}');
const db = new pg.Pool({ connectionString: options.databaseUrl, max: 10 });
db.on('error', () => undefined);
const redis = new Redis(options.redisUrl, { maxRetriesPerRequest: 1, enableOfflineQueue: false });
redis.on('error', () => undefined);
const authorization = `Basic ${Buffer.from('gatehouse:a-client-secret').toString('base64')}`;

/** @param {string} id */
async function tokenOf(id) {
  const deadline = Date.now() + 15_000;
  while (Date.now() < deadline) {
    const row = await read(id);
    if (row.state !== 'active') throw new Error(row.state);
    if (row.fresh) return row.access_token;
    // Without Redis it continues without the lock, since callers are waiting.
    const locked = await redis.set(`lock:${id}`, '1', 'PX', options.lockMs, 'NX').catch(() => 'OK');
    if (locked !== 'OK') {
      await sleep(50);
      continue;
    }
    try {
      const reread = await read(id);
      return reread.fresh ? reread.access_token : await refresh(id, reread.refresh_token);
    } finally {
      await redis.del(`lock:${id}`).catch(() => undefined);
    }
  }
  throw new Error('timeout');
}

/** @param {string} id @param {string} refreshToken */
async function refresh(id, refreshToken) {
  const answer = await fetch(options.tokenUrl, {
    method: 'POST',
    headers: { authorization },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }),
    signal: AbortSignal.timeout(10_000),
  });
  const body = /** @type {any} */ (await answer.json());
  if (body.error === 'invalid_grant') await db.query("UPDATE naive SET state = 'needs_reconnect' WHERE id = $1", [id]);
  if (!answer.ok) throw new Error(body.error);
  await db.query(
    `UPDATE naive SET access_token = $2, refresh_token = $3, expires_at = now() + make_interval(secs => $4), state = 'active'
      WHERE id = $1`,
    [id, body.access_token, body.refresh_token, body.expires_in],
  );
  return body.access_token;
}

/** @param {string} id */
async function read(id) {
  const { rows } = await db.query("SELECT *, expires_at > now() + interval '60 s' AS fresh FROM naive WHERE id = $1", [
    id,
  ]);
  return rows[0];
}

createServer((req, res) => {
  tokenOf((req.url ?? '').slice(1)).then(
    (token) => res.end(token),
    () => res.writeHead(500).end(),
  );
}).listen(options.port, '127.0.0.1', () => process.stdout.write('{}\n'));
