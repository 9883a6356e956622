/** Gives back a place; a second call does nothing. */
export type Leave = () => void;

/** Bounds work that runs on its own, and waits for it at shutdown. */
export class InFlightLimiter {
  private readonly running = new Set<Promise<unknown>>();
  private readonly waiting: (() => void)[] = [];
  private taken = 0;

  constructor(
    private readonly limit: number,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Free places. */
  get free(): number {
    return Math.max(0, this.limit - this.taken);
  }

  /** Resolves when there is room, in the order of the calls. The place is the caller's until it is given back. */
  async enter(): Promise<Leave> {
    if (this.taken < this.limit) this.taken += 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.place();
  }

  /**
   * Tracks work that has begun. It frees its place when it ends; without `leave` it takes one more, over the limit too.
   */
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
      // The place passes directly to the next in line: no other call gets in between.
      const next = this.waiting.shift();
      if (next) next();
      else this.taken -= 1;
    };
  }
}

/** Places for the surplus of each project, so that an adapter that hangs holds up only its own project. */
export class SurplusPlaces {
  private readonly projects = new Map<string, InFlightLimiter>();

  /** @param limit places of one project */
  constructor(private readonly limit: number) {}

  /** Resolves when the project has room. The place is the caller's until it is given back. */
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
