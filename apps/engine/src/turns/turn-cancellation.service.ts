import { Database } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { lockSessions, startNext } from './start-next.js';
import { cancelTurn } from './cancel-turn.js';
import type { Turn } from '../entities/turn.entity.js';
import { TurnLeases } from './turn-leases.js';
import { TurnEnqueuer } from './turn-enqueuer.js';

/** Ends turns on a person's request. */
@Injectable()
export class TurnCancellation {
  constructor(
    private readonly db: Database,
    private readonly leases: TurnLeases,
    private readonly enqueuer: TurnEnqueuer,
  ) {}

  /** Ends a turn, whoever runs it. No reply of it goes out from here on. @returns false when it had already ended */
  async cancel({ id, session_id }: Pick<Turn, 'id' | 'session_id'>): Promise<boolean> {
    const sessions = session_id === null ? [] : [session_id];
    const done = await this.db.transaction(async (tx) => {
      await lockSessions(tx, sessions);
      const turn = await cancelTurn(tx, id);
      return turn && { turn, started: await startNext(tx, sessions) };
    });
    if (!done) return false;
    this.told(done.turn);
    this.enqueuer.go(done.started);
    return true;
  }

  /** Stops a turn that was cancelled in another transaction, and reports it. */
  told(turn: Turn): void {
    this.leases.abort(turn.id);
    this.enqueuer.cancelled([turn], 'cancelled');
  }
}
