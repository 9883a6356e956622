import { Logger } from '@nestjs/common';

/** Times in ms. */
export interface Patience {
  /** Between two looks. */
  lookMs: number;
  /** Looks in a row at which jobs were due and nothing was taken, until a consumer is made anew. */
  looks: number;
  /** Consumers made anew in a row without a job taken, until the process gives up. */
  lives: number;
}

/** Together within 10 s: work stands still for no longer. */
export const patience: Patience = { lookMs: 2_000, looks: 3, lives: 4 };

/** What consumes one lane of a queue. */
export interface Watched {
  lane: string;
  /** Jobs taken since the start, by any consumer of the lane. */
  taken(): number;
  /** Whether it could take a job now: it has a free place, and does not rest. */
  free(): boolean;
  /** Jobs that a consumer could take now. @throws when Redis does not answer: nobody could take any */
  due(): Promise<number>;
  /** Puts a new consumer, with connections of its own, in the place of the old one, which ends what it has begun. */
  renew(): void;
}

/**
 * Makes a consumer anew that takes nothing although jobs are due and it has room, whatever the reason: a connection
 * that is open for one end only, or a loop that has ended. Nobody else would notice: its process lives, and answers.
 */
export class Watchdog {
  private readonly logger = new Logger('queues');
  private readonly timers = new Set<NodeJS.Timeout>();
  /** Consumers made anew since the start, by lane: a metric. */
  readonly renewed = new Map<string, number>();

  /** @param giveUp ends the process: a new one may do what new consumers did not */
  constructor(
    private readonly times: Patience,
    private readonly giveUp: (reason: string) => void,
  ) {}

  /** @returns what ends it */
  watch(watched: Watched): () => void {
    let taken = watched.taken();
    let still = 0;
    let lives = 0;
    let looking = false;
    const look = async (): Promise<void> => {
      const due = await dueOf(watched);
      if (watched.taken() !== taken) lives = 0;
      const stands = due > 0 && watched.taken() === taken && watched.free();
      taken = watched.taken();
      still = stands ? still + 1 : 0;
      if (still < this.times.looks) return;
      still = 0;
      lives += 1;
      if (lives < this.times.lives) this.renew(watched, due);
      else this.end(watched, due);
    };
    const timer = setInterval(() => {
      if (looking) return;
      looking = true;
      void look().finally(() => (looking = false));
    }, this.times.lookMs);
    this.timers.add(timer.unref());
    return () => {
      clearInterval(timer);
      this.timers.delete(timer);
    };
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.timers.clear();
  }

  private renew(watched: Watched, due: number): void {
    const { lane } = watched;
    this.renewed.set(lane, (this.renewed.get(lane) ?? 0) + 1);
    const reason = `took none of ${due} due jobs although it had room: it has been made anew`;
    this.logger.warn({ event: 'queue.consumer_renewed', queue: lane, reason });
    watched.renew();
  }

  private end({ lane }: Watched, due: number): void {
    this.close();
    const reason = `${due} jobs of ${lane} are due, and ${this.times.lives - 1} new consumers in a row took none: the process ends, to be started again`;
    this.logger.error({ event: 'queue.stands_still', queue: lane, reason });
    this.giveUp(reason);
  }
}

async function dueOf(watched: Watched): Promise<number> {
  try {
    return await watched.due();
  } catch {
    return 0;
  }
}
