import { Database } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { interimKey, type TurnInterim } from '../../entities/turn.entity.js';

export type NewInterim = Pick<TurnInterim, 'turn_id' | 'call_ref' | 'stays'>;

/** The messages that turns send before their answers. */
@Injectable()
export class TurnInterims {
  constructor(private readonly db: Database) {}

  /**
   * Takes a place among the messages of its turn, once for each call.
   * @returns the key of the message whose place it takes, or null for none; undefined: its turn has said enough
   */
  async begin(interim: NewInterim, most: number): Promise<string | null | undefined> {
    const { turn_id: turnId, call_ref: ref, stays } = interim;
    return this.db.transaction(async (tx) => {
      // Calls of one step run in parallel, and count the same messages.
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`interims ${turnId}`]);
      const rows = (await tx.query('SELECT * FROM engine.turn_interim WHERE turn_id = $1 ORDER BY seq', [
        turnId,
      ])) as TurnInterim[];
      const own = rows.find(({ call_ref }) => call_ref === ref);
      if (!own && rows.length >= most) return undefined;
      if (!own) {
        await tx.query('INSERT INTO engine.turn_interim (turn_id, call_ref, seq, stays) VALUES ($1, $2, $3, $4)', [
          turnId,
          ref,
          rows.length + 1,
          stays,
        ]);
      }
      const before = rows.findLast((row) => !row.stays && row.seq < (own?.seq ?? Infinity));
      return before && !stays ? interimKey(before) : null;
    });
  }
}
