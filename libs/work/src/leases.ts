import { Logger } from '@nestjs/common';

/** A row by its key, and the number of the claim that holds it. */
export interface HeldClaim {
  key: string;
  claim: number;
}

/** Another claim has the row: what this one holds is stale. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

const renewalsPerLease = 3;

/** The claims that this process works on. Their leases are renewed together while it does. */
export class Leases {
  private readonly logger = new Logger('leases');
  private readonly held = new Map<string, { claim: HeldClaim; controller: AbortController }>();
  private timer: NodeJS.Timeout | undefined;

  /** @param renew resolves to the keys whose claim still holds */
  constructor(
    private readonly renew: (claims: HeldClaim[]) => Promise<Set<string>>,
    private readonly leaseMs: number,
  ) {}

  /** Keys of the rows that this process works on. */
  get keys(): string[] {
    return [...this.held.keys()];
  }

  /** @param act gets a signal that aborts with `LeaseLost`; to stop is up to it */
  async during<T>({ key, claim }: HeldClaim, act: (lost: AbortSignal) => Promise<T>): Promise<T> {
    const mine = { claim: { key, claim }, controller: new AbortController() };
    this.held.set(key, mine);
    this.timer ??= this.nextBeat();
    try {
      return await act(mine.controller.signal);
    } finally {
      // A later claim of this process may have the row by now.
      if (this.held.get(key) === mine) this.held.delete(key);
      if (this.held.size === 0) {
        clearTimeout(this.timer);
        this.timer = undefined;
      }
    }
  }

  private nextBeat(): NodeJS.Timeout {
    return setTimeout(() => void this.beat(), this.leaseMs / renewalsPerLease);
  }

  private async beat(): Promise<void> {
    const { timer } = this;
    const held = [...this.held.values()];
    try {
      const kept = await this.renew(held.map(({ claim }) => claim));
      for (const { claim, controller } of held) {
        if (!kept.has(claim.key)) controller.abort(new LeaseLost(`another claim has ${claim.key}`));
      }
    } catch (error) {
      this.logger.warn({ event: 'lease.not_renewed', error: String(error) });
    }
    // Unless the work ended meanwhile; whatever began after that has a timer of its own.
    if (this.timer === timer) this.timer = this.held.size > 0 ? this.nextBeat() : undefined;
  }
}
