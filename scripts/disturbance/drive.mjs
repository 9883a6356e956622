import { setTimeout as pause } from 'node:timers/promises';
import { tally } from './tally.mjs';

/** Messages before a disturbance and after it, and how long replies are waited for. */
const [BEFORE_MS, AFTER_MS, SETTLE_MS] = [5_000, 10_000, 300_000];

/**
 * Disturbs an installation while messages flow, and counts what became of each.
 * @param {object} how
 * @param {(path: string, body?: object) => Promise<any>} how.observer what sends and receives (observer.mjs)
 * @param {object} how.load what is sent: see `steadily` of the observer
 * @param {() => Promise<unknown>} how.strike ends when all is well again
 * @returns {Promise<{seen: import('./tally.mjs').Tally, tookMs: number, problem: string}>}
 */
export async function disturb({ observer, load, strike }) {
  await observer('/start', load);
  await pause(BEFORE_MS);
  const struckAt = Date.now();
  let problem = '';
  await strike().catch((error) => (problem = String(error)));
  const tookMs = Date.now() - struckAt;
  await pause(AFTER_MS);
  await observer('/stop');
  const ended = Date.now();
  const look = async () => {
    const { messages, replies } = await observer('/seen');
    return tally(messages, replies, struckAt);
  };
  let seen = await look();
  while (seen.lost > 0 && Date.now() - ended < SETTLE_MS) {
    await pause(1_000);
    seen = await look();
  }
  return { seen, tookMs, problem };
}
