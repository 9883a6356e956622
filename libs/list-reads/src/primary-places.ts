import type { Unread } from '#libs/database';
import { Problem } from '#libs/service-kit';

/** Why a list that may lag is not read from the replica. */
export type WhyPrimary = Unread | 'failed';

const inWords: Record<WhyPrimary, string> = {
  starting: 'has not answered since this process started',
  away: 'does not answer',
  behind: 'is too far behind',
  no_replica: 'is no replica of this primary',
  busy: 'is busy with other lists (REPLICA_POOL)',
  slow: 'did not answer in time (REPLICA_ANSWER_MS)',
  failed: 'refused it',
};

export interface PrimaryPlacesSettings {
  REPLICA_FALLBACK_CONNECTIONS: number;
  REPLICA_FALLBACK_WAIT_MS: number;
}

interface Waiting {
  enter(): void;
  timer: NodeJS.Timeout;
}

/**
 * Lists that may lag and are read from the primary because the replica did not give them: so many at a time that they
 * leave connections to the work of the primary. Further ones wait.
 */
export class PrimaryPlaces {
  private taken = 0;
  private readonly line = new Set<Waiting>();

  constructor(private readonly settings: PrimaryPlacesSettings) {}

  /** @throws Problem 503 `lists_busy` where there is no room in time; and what `work` throws */
  async within<T>(why: WhyPrimary, work: () => Promise<T>): Promise<T> {
    if (this.taken < this.settings.REPLICA_FALLBACK_CONNECTIONS) this.taken += 1;
    else await this.wait(why);
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private wait(why: WhyPrimary): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.line.delete(waiting);
        reject(busy(why));
      }, this.settings.REPLICA_FALLBACK_WAIT_MS);
      const waiting: Waiting = { enter: resolve, timer };
      this.line.add(waiting);
    });
  }

  /** The place goes to whoever waits longest. */
  private leave(): void {
    const [next] = this.line;
    if (!next) {
      this.taken -= 1;
      return;
    }
    this.line.delete(next);
    clearTimeout(next.timer);
    next.enter();
  }
}

function busy(why: WhyPrimary): Problem {
  const detail = `The replica that this list is read from ${inWords[why]}, and all places for lists on the primary are taken (REPLICA_FALLBACK_CONNECTIONS). Send the request again later.`;
  return new Problem(503, 'lists_busy', detail, [], { 'retry-after': '2' });
}
