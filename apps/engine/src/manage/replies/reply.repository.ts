import type { ProjectScope } from '#libs/contracts';
import { latestEntries } from '#libs/journal';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { dueNoticeOf, type Turn } from '../../entities/turn.entity.js';

/** A reply that a turn sent and its state: `open` until the gateway has reported on it. */
export interface SentReply {
  delivery_id: string;
  turn_id: string;
  /** `answer`: the turn's reply. `failure_notice`: tells the sender that the turn failed. Each at most once. */
  kind: 'answer' | 'failure_notice';
  state: 'open' | 'taken' | 'delivered' | 'dead' | 'unknown' | 'expired';
}

const ends = ['delivered', 'dead', 'unknown', 'expired'] as const;

/** Which replies turns sent, and what became of them. */
@Injectable()
export class ReplyRepository {
  constructor(private readonly db: DataSource) {}

  /** The replies of turns of one project and their states, from the journal. */
  async sentBy(
    scope: ProjectScope,
    turns: Pick<Turn, 'id' | 'receipt_id' | 'state' | 'answer_id' | 'notice_id'>[],
  ): Promise<SentReply[]> {
    const sending = turns.filter(({ answer_id, notice_id }) => answer_id !== null || notice_id !== null);
    const entries = await latestEntries(this.db, scope, [...new Set(sending.map(({ receipt_id }) => receipt_id))]);
    const stateOf = (id: string): SentReply['state'] => {
      const last = entries.find(({ stage, subject_id }) => stage === 'delivery' && subject_id === id);
      return last ? (ends.find((end) => end === last.outcome) ?? 'taken') : 'open';
    };
    return sending.flatMap(({ id: turn_id, state: turnState, answer_id, notice_id }) =>
      (
        [
          ['failure_notice', notice_id],
          ['answer', answer_id],
        ] as const
      ).flatMap(([kind, id]) => {
        if (id === null) return [];
        const state = stateOf(id);
        // One that its turn sends no more, and that the gateway has not taken, is none.
        const isDue = kind === 'answer' || dueNoticeOf({ state: turnState, notice_id }) !== null;
        return state === 'open' && !isDue ? [] : [{ delivery_id: id, turn_id, kind, state }];
      }),
    );
  }
}
