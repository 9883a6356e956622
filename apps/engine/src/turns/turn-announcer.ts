import { Batcher } from '#libs/batching';
import { type FinishedTurn, type ProgressedTurn, turnFinished, turnProgressed } from '#libs/contracts';
import { JobClient } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';

/** Tells the router how turns stand, those of a few milliseconds in one job. */
@Injectable()
export class TurnAnnouncer {
  private readonly batcher: Batcher<FinishedTurn>;
  private readonly progress: Batcher<ProgressedTurn>;

  constructor(@Inject(JobClient) jobClient: JobClient) {
    this.batcher = new Batcher<FinishedTurn>(
      async (turns) => {
        await jobClient.wake(turnFinished, { turns });
        return [];
      },
      { maxItems: 100, maxWaitMs: 5, maxRunning: 4 },
    );
    // One at a time: how a turn stands is told in the order in which it came to stand so.
    this.progress = new Batcher<ProgressedTurn>(
      async (turns) => {
        await jobClient.wake(turnProgressed, { turns });
        return [];
      },
      { maxItems: 100, maxWaitMs: 20, maxRunning: 1 },
    );
  }

  /** Resolves when the job was added, or Redis refused it: the router asks again for turns it has not seen ended. */
  announce(turn: FinishedTurn): Promise<void> {
    return this.batcher.add(turn);
  }

  /** For turns of runs alone; nobody waits for it, and what Redis refuses is lost. */
  progressed(turn: ProgressedTurn): void {
    void this.progress.add(turn);
  }
}
