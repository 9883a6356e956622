import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { askRedis } from '../scripts/launcher/ask-redis.mjs';

/** @typedef {{cpuMs: Record<string, number>, commits: number, rows: number, redisCommands: number, rssMb: Record<string, number>}} Costs */

/** Parent and resident MB of every process. */
function processTable() {
  const text = execFileSync('ps', ['-eo', 'pid=,ppid=,rss='], { encoding: 'utf8' });
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid = 0, ppid = 0, rss = 0]) => ({ pid, ppid, rssMb: rss / 1024 }));
}

/** Ticks of 10 ms, user and system. @param {number} pid */
async function cpuMsOf(pid) {
  try {
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
    throw error;
  }
}

/**
 * The CPU time of processes so far, in ms, and their resident memory, in MB.
 * @param {Record<string, number>} pids by name; a process's children count as its own
 */
export async function usageOf(pids) {
  const all = processTable();
  /** @type {Record<string, number>} */
  const cpuMs = {};
  /** @type {Record<string, number>} */
  const rssMb = {};
  for (const [name, pid] of Object.entries(pids)) {
    const family = [pid, ...all.filter((each) => each.ppid === pid).map((each) => each.pid)];
    cpuMs[name] = (await Promise.all(family.map(cpuMsOf))).reduce((sum, ms) => sum + ms, 0);
    rssMb[name] = all.find((each) => each.pid === pid)?.rssMb ?? 0;
  }
  return { cpuMs, rssMb };
}

/**
 * The costs of the processes, Postgres and Redis so far (Linux: CPU time comes from /proc).
 * @param {Record<string, number>} pids by name; a process's children count as its own
 * @param {{databaseUrl: string, redisUrl: string}} stores
 * @returns {Promise<Costs>}
 */
export async function costs(pids, { databaseUrl, redisUrl }) {
  const usage = await usageOf(pids);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(
    `SELECT xact_commit::float8 AS commits, (tup_inserted + tup_updated + tup_deleted)::float8 AS rows
       FROM pg_stat_database WHERE datname = current_database()`,
  );
  await client.end();
  const [info = ''] = await askRedis(redisUrl, [['INFO']]);
  const redisCommands = Number(/total_commands_processed:(\d+)/.exec(info)?.[1] ?? 0);
  return { ...usage, commits: rows[0].commits, rows: rows[0].rows, redisCommands };
}
