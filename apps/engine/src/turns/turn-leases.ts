import { LeaseLost } from '#libs/work';
import { Injectable } from '@nestjs/common';
import type { Claim } from '../entities/turn.entity.js';
import { TurnRepository } from './turn.repository.js';

/** The turns that this process stores or runs: never one twice, and each can be stopped. */
@Injectable()
export class TurnLeases {
  private readonly entered = new Map<string, { controller: AbortController; claimed: boolean }>();

  constructor(private readonly turns: TurnRepository) {}

  /** Marks a turn as entered here. @returns whether it was not before */
  enter(turnId: string): boolean {
    if (this.entered.has(turnId)) return false;
    this.entered.set(turnId, { controller: new AbortController(), claimed: false });
    return true;
  }

  /** Whether it was claimed here and still holds its lease. */
  isRunning(turnId: string): boolean {
    const run = this.entered.get(turnId);
    return run !== undefined && run.claimed && !run.controller.signal.aborted;
  }

  /** Runs an entered turn under its lease. @param act gets a signal that aborts with `LeaseLost` */
  during(claim: Claim, act: (lost: AbortSignal) => Promise<void>): Promise<void> {
    const run = this.entered.get(claim.turn_id);
    if (!run) throw new Error(`the turn ${claim.turn_id} was not entered`);
    run.claimed = true;
    const { controller } = run;
    return this.turns.work.run({ key: claim.turn_id, claim: claim.claim }, (lost) => {
      lost.addEventListener('abort', () => controller.abort(lost.reason), { once: true });
      return act(controller.signal);
    });
  }

  /** Stops a turn that runs here. One that runs elsewhere stops at its next write or renewal. */
  abort(turnId: string): void {
    this.entered.get(turnId)?.controller.abort(new LeaseLost('the turn was cancelled'));
  }

  leave(turnId: string): void {
    this.entered.delete(turnId);
  }
}
