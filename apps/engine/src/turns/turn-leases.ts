import { Liveness } from '#libs/database';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { LeaseLost } from '../loop/step-log.js';
import { type EngineSettings, SETTINGS } from '../settings.js';
import { TurnRepository } from './turn.repository.js';

/** The turns that this process runs, and the heartbeat that renews their leases. */
@Injectable()
export class TurnLeases implements OnModuleDestroy {
  private readonly running = new Map<string, { controller: AbortController; held: boolean }>();
  private readonly logger = new Logger('leases');
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly turns: TurnRepository,
    private readonly liveness: Liveness,
    @Inject(SETTINGS) settings: EngineSettings,
  ) {
    this.timer = setInterval(() => void this.beat(), settings.TURN_HEARTBEAT_MS);
  }

  /** Unique among all processes, restarts included: a lease from before a restart is never taken for its own. */
  get owner(): string {
    return this.liveness.owner;
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Marks a turn as running here. @returns a signal that aborts when the lease is lost; null when it runs already */
  enter(turnId: string): AbortSignal | null {
    if (this.running.has(turnId)) return null;
    const controller = new AbortController();
    this.running.set(turnId, { controller, held: false });
    return controller.signal;
  }

  /** Whether it was claimed here and still holds its lease. */
  isRunning(turnId: string): boolean {
    const run = this.running.get(turnId);
    return run !== undefined && run.held && !run.controller.signal.aborted;
  }

  /** The claim succeeded, so the heartbeat renews the lease from here on. */
  hold(turnId: string): void {
    const run = this.running.get(turnId);
    if (run) run.held = true;
  }

  /** Stops a turn that runs here. One that runs elsewhere stops at its next write or heartbeat. */
  abort(turnId: string): void {
    this.running.get(turnId)?.controller.abort(new LeaseLost('the turn was cancelled'));
  }

  leave(turnId: string): void {
    this.running.delete(turnId);
  }

  private async beat(): Promise<void> {
    const held = [...this.running].filter(([, run]) => run.held);
    if (held.length === 0) return;
    try {
      const kept = await this.turns.renew(
        held.map(([turnId]) => turnId),
        this.liveness.owners,
      );
      // A turn that has ended meanwhile is not renewed either. Aborting it then has no effect.
      for (const [turnId, run] of held) {
        if (!kept.has(turnId)) run.controller.abort(new LeaseLost('the lease was lost'));
      }
    } catch (error) {
      this.logger.warn({ event: 'lease.renewal_failed', error: String(error) });
    }
  }
}
