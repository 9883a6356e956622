import { InFlightLimiter, type Leave } from './in-flight-limiter.js';

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
