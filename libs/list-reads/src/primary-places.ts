import { Problem } from '#libs/service-kit';

export interface PrimaryPlacesSettings {
  REPLICA_FALLBACK_CONNECTIONS: number;
  REPLICA_FALLBACK_WAIT_MS: number;
}

interface Waiting {
  enter(): void;
  timer: NodeJS.Timeout;
}

/**
 * Lists that are read from the primary because the replica cannot be: so many at a time that they leave connections to
 * the work of the primary. Further ones wait.
 */
export class PrimaryPlaces {
  private taken = 0;
  private readonly line = new Set<Waiting>();

  constructor(private readonly settings: PrimaryPlacesSettings) {}

  /** @throws Problem 503 `lists_busy` where there is no room in time; and what `work` throws */
  async within<T>(work: () => Promise<T>): Promise<T> {
    if (this.taken < this.settings.REPLICA_FALLBACK_CONNECTIONS) this.taken += 1;
    else await this.wait();
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.line.delete(waiting);
        reject(busy());
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

function busy(): Problem {
  const detail =
    'Lists wait for Postgres: its replica is away or behind, and few are read from the primary at a time (REPLICA_FALLBACK_CONNECTIONS). Send the request again later.';
  return new Problem(503, 'lists_busy', detail, [], { 'retry-after': '2' });
}
