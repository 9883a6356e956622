import { type Database, poolState } from '#libs/database';
import { Gauge, type Registry } from 'prom-client';

const timeoutMs = 2_000;

/** How Postgres serves one process, read at each scrape. */
export function postgresMetrics(registry: Registry, database: Database): void {
  const registers = [registry];
  const connections: Gauge<'state'> = new Gauge({
    name: 'gatehouse_postgres_connections',
    help: 'Connections of the pool by state; waiting: statements that wait for one; most: DATABASE_POOL',
    labelNames: ['state'],
    registers,
    collect: () => {
      for (const [state, count] of Object.entries(poolState(database) ?? {})) connections.set({ state }, count);
    },
  });
  const answer: Gauge = new Gauge({
    name: 'gatehouse_postgres_answer_seconds',
    help: 'A statement that reads nothing, with the wait for a connection; 2: no answer within that time',
    registers,
    collect: async () => answer.set((await answerMs(database)) / 1_000),
  });
}

async function answerMs(database: Database): Promise<number> {
  const asked = performance.now();
  const timer = new AbortController();
  const tooLong = new Promise<void>((resolve) => {
    const timeout = setTimeout(resolve, timeoutMs).unref();
    timer.signal.addEventListener('abort', () => clearTimeout(timeout));
  });
  const answered = await Promise.race([
    database.query('SELECT 1').then(
      () => true,
      () => false,
    ),
    tooLong.then(() => false),
  ]);
  timer.abort();
  return answered ? performance.now() - asked : timeoutMs;
}
