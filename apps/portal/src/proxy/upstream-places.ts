import { Problem } from '#libs/service-kit';

export type ConnectionsSetting = 'UPSTREAM_CONNECTIONS' | 'WEB_CHAT_CONNECTIONS' | 'TASK_CONNECTIONS';

export interface UpstreamPlacesSettings extends Record<ConnectionsSetting, number> {
  UPSTREAM_QUEUE: number;
  UPSTREAM_QUEUE_MS: number;
}

interface Waiting {
  enter(): void;
  timer: NodeJS.Timeout;
}

/**
 * The connections to a service, for one path. As many requests as there are connections are sent at a time; further ones
 * wait for a short time and in a bounded number, and are answered 503 after that. Without this they would wait, unseen
 * and without a limit, for whatever holds the connections.
 */
export class UpstreamPlaces {
  private taken = 0;
  private readonly queue = new Set<Waiting>();

  constructor(
    private readonly settings: UpstreamPlacesSettings,
    /** Which setting says how many connections there are. */
    private readonly connections: ConnectionsSetting,
  ) {}

  get counts(): { taken: number; waiting: number } {
    return { taken: this.taken, waiting: this.queue.size };
  }

  /** @returns what gives the place back, once; @throws Problem 503 `busy` */
  async enter(): Promise<() => void> {
    if (this.taken < this.settings[this.connections]) this.taken += 1;
    else await this.wait();
    let left = false;
    return () => {
      if (!left) this.leave();
      left = true;
    };
  }

  private wait(): Promise<void> {
    if (this.queue.size >= this.settings.UPSTREAM_QUEUE) return Promise.reject(this.busy());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.queue.delete(waiting);
        reject(this.busy());
      }, this.settings.UPSTREAM_QUEUE_MS);
      const waiting: Waiting = { enter: resolve, timer };
      this.queue.add(waiting);
    });
  }

  /** The place goes to whoever waits longest. */
  private leave(): void {
    const [next] = this.queue;
    if (!next) {
      this.taken -= 1;
      return;
    }
    this.queue.delete(next);
    clearTimeout(next.timer);
    next.enter();
  }

  private busy(): Problem {
    const detail = `The service behind this path is busy: all connections to it are in use (${this.connections}). Send the request again later.`;
    return new Problem(503, 'busy', detail, [], { 'retry-after': '2' });
  }
}
