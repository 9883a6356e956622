import { Database, Sweeping } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { Clock } from '../guards/loop-breaker.js';
import { TurnHandover } from '../handover/turn-handover.service.js';
import { anyDue, takeDue } from './debounce.js';
import { forgetWindows } from './trigger-limits.js';

const dueEveryMs = 500;
const forgetEveryMs = 3_600_000;

/** Starts the runs that waited long enough for more messages, and deletes limit counts of past windows. */
@Injectable()
export class DebounceSweeper extends Sweeping {
  constructor(
    private readonly db: Database,
    private readonly handover: TurnHandover,
    private readonly clock: Clock,
  ) {
    super();
    this.sweepEvery({ name: 'debounce', everyMs: dueEveryMs, batch: 200, sweep: (limit) => this.open(limit) });
    this.sweepEvery({ name: 'trigger-windows', everyMs: forgetEveryMs, batch: 1, sweep: () => this.forget() });
  }

  private async open(limit: number): Promise<number> {
    if (!(await anyDue(this.db, this.clock.nowMs()))) return 0;
    const turns = await this.db.transaction(async (tx) => {
      const due = await takeDue(tx, this.clock.nowMs(), limit);
      await this.handover.keep(tx, due);
      return due;
    });
    this.handover.enqueue(turns);
    return turns.length;
  }

  private async forget(): Promise<number> {
    await forgetWindows(this.db);
    return 0;
  }
}
