/** Gives back a place; a second call does nothing. */
export type Leave = () => void;

/** Work that goes on by itself, bounded and waited for at the end. */
export class InFlightLimiter {
  private readonly running = new Set<Promise<unknown>>();
  private readonly waiting: (() => void)[] = [];
  private taken = 0;

  constructor(
    private readonly limit: number,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** How much more may be added at once. */
  get free(): number {
    return Math.max(0, this.limit - this.taken);
  }

  /** Resolves when there is room, in the order of the calls; it is the caller's until it is given back. */
  async enter(): Promise<Leave> {
    if (this.taken < this.limit) this.taken += 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.place();
  }

  /** Tracks work that has begun: in a place that it gives back when it ends, or in one of its own. */
  add(work: Promise<void>, leave = this.anotherPlace()): void {
    const tracked = work.catch(this.onFailure).finally(() => {
      this.running.delete(tracked);
      leave();
    });
    this.running.add(tracked);
  }

  async drain(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private anotherPlace(): Leave {
    this.taken += 1;
    return this.place();
  }

  private place(): Leave {
    let mine = true;
    return () => {
      if (!mine) return;
      mine = false;
      // Who waits has the place at once: nobody comes in between.
      const next = this.waiting.shift();
      if (next) next();
      else this.taken -= 1;
    };
  }
}

/** Places for the surplus of each project, so that an adapter that hangs holds up its own project alone. */
export class SurplusPlaces {
  private readonly projects = new Map<string, InFlightLimiter>();

  /** @param limit places of one project */
  constructor(private readonly limit: number) {}

  /** Resolves when the project has room; it is the caller's until it is given back. */
  async enter(projectId: string): Promise<Leave> {
    const places = this.projects.get(projectId) ?? new InFlightLimiter(this.limit, () => undefined);
    this.projects.set(projectId, places);
    const leave = await places.enter();
    return () => {
      leave();
      if (places.free === this.limit) this.projects.delete(projectId);
    };
  }
}
