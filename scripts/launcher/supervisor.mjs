import { setTimeout as pause } from 'node:timers/promises';

const FIRST_BACKOFF_MS = 100;
const MOST_BACKOFF_MS = 5_000;
/** After a child lived this long, its backoff starts over. */
const HEALTHY_MS = 10_000;

/**
 * A supervised child.
 * @typedef {object} Kept
 * @property {import('./child.mjs').Running | null} running
 * @property {boolean} stopping for good
 * @property {boolean} asked to be restarted
 * @property {Promise<void>} loop
 */

/** Keeps children alive: one that exits is restarted after a backoff, until it is stopped. */
export class Supervisor {
  /** @type {Map<string, Kept>} */
  #kept = new Map();
  #say;
  #onChange;
  #onEnd;
  #wake = new AbortController();

  /**
   * @param {{say: (text: string) => void, onChange?: (name: string, pid: number) => void, onEnd?: (name: string) =>
   *   void}} hooks onEnd: a child exited unasked
   */
  constructor({ say, onChange = () => {}, onEnd = () => {} }) {
    this.#say = say;
    this.#onChange = onChange;
    this.#onEnd = onEnd;
  }

  /** @param {string} name @returns {number | null} null while it is down */
  pidOf(name) {
    return this.#kept.get(name)?.running?.pid ?? null;
  }

  /**
   * Starts a child and keeps it running.
   * @template {import('./child.mjs').Running} R
   * @param {string} name
   * @param {() => Promise<R>} launch called again for each restart
   * @returns {Promise<R>} the first child
   * @throws what the first launch throws; the child is then not kept
   */
  async keep(name, launch) {
    const first = await launch();
    /** @type {Kept} */
    const kept = { running: first, stopping: false, asked: false, loop: Promise.resolve() };
    this.#kept.set(name, kept);
    this.#onChange(name, first.pid);
    kept.loop = this.#watch(name, kept, launch);
    return first;
  }

  /**
   * @param {string} name
   * @param {Kept} kept
   * @param {() => Promise<import('./child.mjs').Running>} launch
   */
  async #watch(name, kept, launch) {
    let backoffMs = FIRST_BACKOFF_MS;
    for (let since = Date.now(); kept.running; since = Date.now()) {
      let how = await kept.running.exited;
      kept.running = null;
      if (!kept.stopping && !kept.asked) this.#onEnd(name);
      if (Date.now() - since >= HEALTHY_MS) backoffMs = FIRST_BACKOFF_MS;
      while (!kept.stopping && !kept.running) {
        if (kept.asked) backoffMs = FIRST_BACKOFF_MS;
        else {
          this.#say(`${name} ended (${how}); starting it again in ${backoffMs} ms`);
          await pause(backoffMs, undefined, { signal: this.#wake.signal }).catch(() => undefined);
          backoffMs = Math.min(backoffMs * 2, MOST_BACKOFF_MS);
        }
        if (kept.stopping) break;
        const { asked } = kept;
        kept.asked = false;
        try {
          kept.running = await launch();
          this.#onChange(name, kept.running.pid);
          // The caller of `restart` reports it.
          if (!asked) this.#say(`${name} runs again (pid ${kept.running.pid})`);
        } catch (error) {
          how = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
        }
      }
      // It was stopped during its restart, so nobody else knows this child yet.
      if (kept.stopping) await kept.running?.stop();
    }
  }

  /**
   * Restarts a child at once, without a backoff since nothing failed. A pending backoff is cut short.
   * @param {string} name a name that is not kept is ignored
   */
  async restart(name) {
    const kept = this.#kept.get(name);
    if (!kept || kept.stopping) return;
    kept.asked = true;
    if (!kept.running) this.#endWaits();
    await kept.running?.stop();
  }

  #endWaits() {
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  /**
   * Stops children for good, all at the same time, and waits until they have exited.
   * @param {string[]} names those that are not kept are ignored
   */
  async stop(names) {
    const chosen = names.flatMap((name) => this.#kept.get(name) ?? []);
    for (const kept of chosen) kept.stopping = true;
    this.#endWaits();
    await Promise.all(
      chosen.map(async (kept) => {
        await kept.running?.stop();
        await kept.loop;
      }),
    );
    for (const name of names) this.#kept.delete(name);
  }
}
