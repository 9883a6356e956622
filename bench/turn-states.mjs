import { setTimeout as pause } from 'node:timers/promises';

const patienceMs = 300_000;
const everyMs = 100;

/** @param {string} what @param {() => Promise<boolean> | boolean} holds @throws Error when it does not come to hold */
export async function until(what, holds) {
  const lastMs = Date.now() + patienceMs;
  while (!(await holds())) {
    if (Date.now() > lastMs) throw new Error(`waited in vain until ${what}`);
    await pause(everyMs);
  }
}

/** @param {import('pg').Client} db @returns how many turns succeeded @throws Error when one failed */
export async function endedTurns(db) {
  const { rows } = await db.query(
    `SELECT count(*) FILTER (WHERE state = 'failed')::int AS failed, count(*) FILTER (WHERE state = 'succeeded')::int AS done
       FROM engine.turn`,
  );
  if (rows[0].failed > 0) throw new Error(`${rows[0].failed} turns failed`);
  return Number(rows[0].done);
}
