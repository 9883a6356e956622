import { type DeliverySendPayload, newId, type OutboundContent } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import { latestEntries } from '#libs/journal';
import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Turn } from '../entities/turn.entity.js';

/** A reply as it is offered to the gateway; the turn's row has all of it. */
export type OfferedReply = Omit<DeliverySendPayload, 'content'> & { turn_id: string; content: OutboundContent };

/** A reply that a turn sent and its state: `open` until the gateway has reported on it. */
export interface SentReply {
  delivery_id: string;
  turn_id: string;
  /** `answer`: the turn's reply. `failure_notice`: tells the sender that the turn failed. Each at most once. */
  kind: 'answer' | 'failure_notice';
  state: 'open' | 'taken' | 'delivered' | 'dead' | 'unknown' | 'expired';
}

type SendingTurn = Pick<
  Turn,
  'id' | 'organization_id' | 'project_id' | 'receipt_id' | 'input' | 'reply_text' | 'answer_id' | 'notice_id'
>;

const ends = ['delivered', 'dead', 'unknown', 'expired'] as const;

@Injectable()
export class ReplyRepository {
  constructor(private readonly db: DataSource) {}

  /**
   * Records that the sender of a failed turn is notified, once per turn.
   */
  async addNotice(tx: Queryable, { id }: Turn, text: string): Promise<void> {
    await tx.query(
      `UPDATE engine.turn SET notice_id = $2, input = jsonb_set(input, '{failure_notice}', to_jsonb($3::text))
        WHERE id = $1 AND notice_id IS NULL`,
      [id, newId('dlv'), text],
    );
  }

  /**
   * Records that a contact is informed that the day's budget with an agent is spent.
   * @returns false when it was informed today already
   */
  async addBudgetNotice(tx: Queryable, { organization_id, project_id, agent_id }: Turn, contact: string) {
    const rows = (await tx.query(
      `INSERT INTO engine.usage AS u (project_id, day, agent_id, contact_id, organization_id, model_calls, tool_calls,
              input_tokens, output_tokens, cost_micros, budget_notice)
       SELECT $1, (now() AT TIME ZONE 'utc')::date, a.id, $3, $4, 0, 0, 0, 0, 0, true
         FROM engine.agent a
        WHERE a.project_id = $1 AND a.organization_id = $4 AND CASE WHEN $2::text IS NULL THEN a.is_chief_of_staff ELSE a.id = $2 END
       ON CONFLICT (project_id, day, agent_id, contact_id) DO UPDATE SET budget_notice = true WHERE NOT u.budget_notice
       RETURNING 1 AS added`,
      [project_id, agent_id, contact, organization_id],
    )) as unknown[];
    return rows.length > 0;
  }

  /** The replies of these turns, in the order in which they were written. */
  async ofTurns(turnIds: string[]): Promise<OfferedReply[]> {
    if (turnIds.length === 0) return [];
    const turns = (await this.db.query(
      `SELECT id, organization_id, project_id, receipt_id, input, reply_text, answer_id, notice_id
         FROM engine.turn WHERE id = ANY($1) AND (answer_id IS NOT NULL OR notice_id IS NOT NULL) ORDER BY id`,
      [turnIds],
    )) as SendingTurn[];
    return turns.flatMap(repliesOf);
  }

  /** The replies of turns of one project and their states, from the journal. */
  async sentBy(
    scope: Pick<Principal, 'organizationId' | 'projectId'>,
    turns: Pick<Turn, 'id' | 'receipt_id' | 'answer_id' | 'notice_id'>[],
  ): Promise<SentReply[]> {
    const sending = turns.filter(({ answer_id, notice_id }) => answer_id !== null || notice_id !== null);
    const told = await latestEntries(this.db, scope, [...new Set(sending.map(({ receipt_id }) => receipt_id))]);
    const stateOf = (id: string): SentReply['state'] => {
      const last = told.find(({ stage, subject_id }) => stage === 'delivery' && subject_id === id);
      return last ? (ends.find((end) => end === last.outcome) ?? 'taken') : 'open';
    };
    return sending.flatMap(({ id: turn_id, answer_id, notice_id }) =>
      (
        [
          ['failure_notice', notice_id],
          ['answer', answer_id],
        ] as const
      ).flatMap(([kind, id]) => (id === null ? [] : [{ delivery_id: id, turn_id, kind, state: stateOf(id) }])),
    );
  }
}

/** The failure notice precedes the answer that a redrive gave. */
function repliesOf({ id, input, reply_text, answer_id, notice_id, ...turn }: SendingTurn): OfferedReply[] {
  const target = input?.reply;
  if (!target) return [];
  const common = { ...turn, turn_id: id };
  const notice = { text: input.failure_notice ?? '', format: 'plain', target } as const;
  return [
    ...(notice_id === null ? [] : [{ ...common, delivery_id: notice_id, content: notice }]),
    ...(answer_id === null ? [] : [{ ...common, delivery_id: answer_id, content: { text: reply_text ?? '', target } }]),
  ];
}
