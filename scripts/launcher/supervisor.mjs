import { setTimeout as pause } from 'node:timers/promises';

const FIRST_BACKOFF_MS = 100;
const MOST_BACKOFF_MS = 5_000;
/** A child that lived this long starts its next backoff at the beginning. */
const HEALTHY_MS = 10_000;

/**
 * A child and what is to become of it.
 * @typedef {object} Kept
 * @property {import('./child.mjs').Running | null} running
 * @property {boolean} stopping for good
 * @property {boolean} asked to end and be started anew
 * @property {Promise<void>} loop
 */

/** Keeps children alive: one that dies is started again after a backoff, until it is told to stop. */
export class Supervisor {
  /** @type {Map<string, Kept>} */
  #kept = new Map();
  #say;
  #onChange;
  #onEnd;
  #wake = new AbortController();

  /** @param {{say: (text: string) => void, onChange?: (name: string, pid: number) => void, onEnd?: (name: string) => void}} hooks onEnd: of one that nobody told to */
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
   * @throws what the first launch throws: nothing is kept then
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
          // Who asked for it says so.
          if (!asked) this.#say(`${name} runs again (pid ${kept.running.pid})`);
        } catch (error) {
          how = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
        }
      }
      // Stopped while it was being started again: nobody else knows of this child yet.
      if (kept.stopping) await kept.running?.stop();
    }
  }

  /**
   * Ends a child, which is then started again at once: nothing failed. One that waits to be tried again does not wait longer.
   * @param {string} name one that is not kept is left alone
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
   * Stops children for good, all of these at once, and waits until they are gone.
   * @param {string[]} names those that are not kept are left alone
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
