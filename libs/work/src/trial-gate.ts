import { InFlightLimiter } from './in-flight-limiter.js';

/** In this process, of all kinds of work: with two trials at a time a death would convict both. */
const trials = new InFlightLimiter(1, () => undefined);

/** Lets the work of one kind run side by side, or one suspect alone. */
export class TrialGate {
  private acting = 0;
  private closed = false;
  private onTrial: string | null = null;
  private waiting: (() => void)[] = [];
  private emptied: (() => void) | null = null;

  /** Resolves when no suspect has the process for itself. Asked before a claim, since what is claimed would be suspected too. */
  async open(): Promise<void> {
    while (this.closed) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Runs work beside other work of its kind; the suspect on trial needs not wait. @param key of its row, if it has one */
  async beside<T>(key: string | null, act: () => Promise<T>): Promise<T> {
    if (key === null || key !== this.onTrial) await this.open();
    this.acting += 1;
    try {
      return await act();
    } finally {
      this.acting -= 1;
      if (this.acting === 0) this.emptied?.();
    }
  }

  /**
   * Runs trials while no other work of the kind runs. Others wait until it resolves.
   * @param patienceMs how long others may take to end
   * @returns null: they took longer, and nothing was run
   */
  async alone<T>(patienceMs: number, act: () => Promise<T>): Promise<T | null> {
    const leave = await trials.enter();
    this.closed = true;
    try {
      return (await this.isEmptyWithin(patienceMs)) ? await act() : null;
    } finally {
      this.closed = false;
      this.onTrial = null;
      for (const go of this.waiting.splice(0)) go();
      leave();
    }
  }

  /** Names the row that is on trial. Only within `alone`. */
  name(key: string): void {
    this.onTrial = key;
  }

  private async isEmptyWithin(patienceMs: number): Promise<boolean> {
    if (this.acting === 0) return true;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(false), patienceMs);
        this.emptied = () => resolve(true);
      });
    } finally {
      clearTimeout(timer);
      this.emptied = null;
    }
  }
}
