import { Batcher } from '#libs/batching';
import { type FinishedTurn, turnFinished } from '#libs/contracts';
import { JobClient } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';

/** Tells the router which turns ended, those of a few milliseconds in one job. */
@Injectable()
export class TurnAnnouncer {
  private readonly batcher: Batcher<FinishedTurn>;

  constructor(@Inject(JobClient) jobClient: JobClient) {
    this.batcher = new Batcher<FinishedTurn>(
      async (turns) => {
        await jobClient.wake(turnFinished, { turns });
        return [];
      },
      { maxItems: 100, maxWaitMs: 5, maxRunning: 4 },
    );
  }

  /** Resolves when the job was added, or Redis refused it: the router asks again for turns it has not seen ended. */
  announce(turn: FinishedTurn): Promise<void> {
    return this.batcher.add(turn);
  }
}
