import { type Liveness, Sweeper } from '#libs/database';
import { PermanentFailure } from '#libs/queue';
import { Logger } from '@nestjs/common';
import type { Suspect, Work } from './work.js';
import type { WorkRow } from './work-row.entity.js';

const killsItsProcess = 'kills_its_process';

interface SuspectSettings {
  /** Deaths of processes after which a row that killed one alone is dead. The first is beside others. */
  POISON_KILLS: number;
  /** How long a suspect has its process for itself after the first death; four times as long after each further one. */
  POISON_TRIAL_MS: number;
}

/** Of the service's `Metrics`. */
interface SuspectMetrics {
  suspects: { inc(labels: { work: string }): void };
  poisoned: { set(labels: { work: string }, seconds: number): void };
}

interface SuspectsOptions<Row extends WorkRow> {
  work: Work<Row>;
  /** What the rows are, for people: `turn`. */
  name: string;
  losses: Liveness;
  settings: SuspectSettings;
  /** Works on a claimed row under its lease, until that is settled. */
  retry: (row: Row) => Promise<unknown>;
  /** Ends a claimed row as dead. Its input is kept. */
  end: (row: Row, why: PermanentFailure) => Promise<unknown>;
  metrics: SuspectMetrics;
}

const everyMs = 3_000;
const longerWithEachDeath = 4;

/**
 * Rows whose process died while it worked on them. One of them may have killed it, and would kill the next with all that
 * it works on. So each is tried alone, and only what kills its process again then is dead. The others did nothing wrong:
 * the attempt that was interrupted does not count.
 */
export class Suspects<Row extends WorkRow> {
  private readonly logger: Logger;
  private readonly sweeper: Sweeper;
  private readonly running = new Set<Promise<unknown>>();
  private patienceMs: number;

  constructor(private readonly options: SuspectsOptions<Row>) {
    const { name, losses, settings } = options;
    this.logger = new Logger(`suspects:${name}`);
    this.patienceMs = settings.POISON_TRIAL_MS;
    this.sweeper = new Sweeper({
      name: `suspects-${name}`,
      everyMs,
      batch: 1,
      losses,
      afterLoss: () => this.freeGone(),
      sweep: () => this.tryNext(),
    });
  }

  start(): void {
    this.sweeper.start();
  }

  /** Frees the rows of processes that have died. Also for the sweep of those that are then due as ever. */
  freeGone(): Promise<void> {
    const { work, losses, settings } = this.options;
    return work.freeGone(losses.sinceOutageMs > outageDoubtMs ? settings.POISON_KILLS : null);
  }

  /** Waits for trials that have begun. */
  async stop(): Promise<void> {
    await this.sweeper.stop();
    await Promise.all(this.running);
  }

  /** Tries suspects one after the other, for as long as one may have the process. @returns 1 when there may be more */
  private async tryNext(): Promise<number> {
    const { work, settings } = this.options;
    if (!(await work.hasSuspect())) return 0;
    const tried = await work.gate.alone(this.patienceMs, async () => {
      const untilMs = performance.now() + settings.POISON_TRIAL_MS;
      let count = 0;
      while (performance.now() < untilMs) {
        const suspect = await work.claimSuspect();
        if (!suspect) break;
        count += 1;
        if (!(await this.endsAlone(suspect))) break;
      }
      return count;
    });
    // Long work ends some time: the next wait for it is longer, and meanwhile others may begin.
    this.patienceMs = tried === null ? this.patienceMs * 2 : settings.POISON_TRIAL_MS;
    return tried === null || tried === 0 ? 0 : 1;
  }

  /** @returns false when it goes on beside others */
  private async endsAlone(suspect: Suspect<Row>): Promise<boolean> {
    const { work, name, settings, metrics } = this.options;
    const { convicted, deaths, claim } = suspect;
    const key = work.keyOf(suspect);
    work.gate.name(key);
    this.logger.warn({ event: convicted ? 'suspect.dead' : 'suspect.tried', [name]: key, deaths });
    if (convicted) metrics.poisoned.set({ work: name }, Math.floor(Date.now() / 1_000));
    else metrics.suspects.inc({ work: name });
    const act = convicted ? this.options.end(suspect, whyDead(deaths)) : this.options.retry(suspect);
    const ended = act
      .catch((error: unknown) => this.logger.warn({ event: 'suspect.not_ended', [name]: key, error: String(error) }))
      .then(() => true);
    const tracked = ended.finally(() => this.running.delete(tracked));
    this.running.add(tracked);
    if (await within(ended, settings.POISON_TRIAL_MS * longerWithEachDeath ** (deaths - 1))) return true;
    await work.endTrial({ key, claim });
    return false;
  }
}

/** Processes come back one after the other to a Postgres that was away: one that is late has not died. */
const outageDoubtMs = 15_000;

function whyDead(deaths: number): PermanentFailure {
  const often = deaths === 1 ? 'once' : `${deaths} times`;
  return new PermanentFailure(
    killsItsProcess,
    `The process that worked on it ended ${often}, the last time while it worked on nothing else of the kind. ` +
      'Look at the end of its log, and at its memory; what it worked on is kept. Fix the cause, then redrive it.',
  );
}

async function within(ended: Promise<boolean>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([ended, over]);
  } finally {
    clearTimeout(timer);
  }
}
