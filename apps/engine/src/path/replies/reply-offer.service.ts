import {
  type AttachmentHead,
  type DeliverySendPayload,
  deliverySend,
  type JobCustody,
  type OutboundContent,
  type ReplyTarget,
  resentAfterMs,
  type TurnRunPayload,
  wholeReplyTarget,
} from '#libs/contracts';
import { Database, Liveness, Sweeping } from '#libs/database';
import { Handovers } from '#libs/journal';
import { JobClient } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { dueNoticeOf, dueNoticeSql, interimKey, type Turn } from '../../entities/turn.entity.js';

const sweepBatch = 500;

const offeredSql = `
  SELECT t.ended_at::text AS at, sent.id AS subject_id, t.id AS owner_id, t.receipt_id
    FROM engine.turn t CROSS JOIN LATERAL unnest(ARRAY[${dueNoticeSql}, t.answer_id]) AS sent(id)
   WHERE t.ended_at > $1 AND t.ended_at <= $2 AND (t.answer_id IS NOT NULL OR t.notice_id IS NOT NULL)
     AND sent.id IS NOT NULL
   ORDER BY t.ended_at LIMIT $3`;

/** A reply as it is offered to the gateway; the turn's row has all of it. */
export type OfferedReply = Omit<DeliverySendPayload, 'content'> & { turn_id: string; content: OutboundContent };

type SendingTurn = Pick<
  Turn,
  | 'id'
  | 'organization_id'
  | 'project_id'
  | 'app_id'
  | 'receipt_id'
  | 'state'
  | 'input'
  | 'reply_text'
  | 'answer_id'
  | 'notice_id'
> & { files: AttachmentHead[] | null; interims: string[] | null };

/** What is attached to the answer of a turn `t`; null: nothing. */
const filesSql = `(SELECT jsonb_agg(jsonb_build_object('name', f.name, 'content_type', f.content_type, 'size', f.size,
  'sha256', f.sha256) ORDER BY f.seq) FROM engine.turn_file f WHERE f.turn_id = t.id) AS files`;

/** The messages that a turn `t` sent before its answer, where the answer takes their place, the last first; null: none. */
const interimsSql = `(SELECT jsonb_agg(i.call_ref ORDER BY i.seq DESC) FROM engine.turn_interim i
   WHERE i.turn_id = t.id AND NOT i.stays) AS interims`;

/** Offers committed replies to the gateway, and offers again those that it has not accepted. */
@Injectable()
export class ReplyOfferService extends Sweeping {
  private readonly handovers: Handovers;

  constructor(
    private readonly jobClient: JobClient,
    private readonly db: Database,
    losses: Liveness,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {
    super();
    const source = {
      schema: 'engine',
      applicationName: 'engine',
      stage: 'delivery',
      owners: 'engine.turn',
      sql: offeredSql,
    } as const;
    this.handovers = new Handovers(db, losses, { ...source, leaseMs: settings.SWEEP_AFTER_MS });
    this.sweepEvery({
      name: 'replies',
      everyMs: settings.SWEEP_EVERY_MS,
      batch: sweepBatch,
      losses,
      afterLoss: () => this.handovers.expedite(),
      sweep: (limit) => this.offerDue(limit),
    });
  }

  /** Offers the answer of a turn that has just ended, of which everything is known here. */
  async offerAnswer(
    { turn_id, organization_id, project_id, receipt_id, custody }: TurnRunPayload,
    delivery_id: string,
    text: string,
    target: ReplyTarget,
  ): Promise<void> {
    const subject = { delivery_id, turn_id, organization_id, project_id, receipt_id };
    await this.offer({ ...subject, content: { text, target }, ...surplusOf(custody) });
  }

  /** Offers the replies of a turn that has just ended. */
  async offerOf(turnId: string, custody?: JobCustody): Promise<void> {
    const surplus = surplusOf(custody);
    await Promise.all((await this.ofTurns([turnId])).map((reply) => this.offer({ ...reply, ...surplus })));
  }

  /** Offers the replies of a turn that had ended before. The gateway ignores those that it has. */
  async resendOf(turnId: string): Promise<void> {
    await Promise.all((await this.ofTurns([turnId])).map((reply) => this.resend(reply)));
  }

  /** The replies of these turns, in the order in which they were written. */
  async ofTurns(turnIds: string[]): Promise<OfferedReply[]> {
    if (turnIds.length === 0) return [];
    const turns = (await this.db.query(
      `SELECT id, organization_id, project_id, app_id, receipt_id, state, input, reply_text, answer_id, notice_id, ${filesSql}, ${interimsSql}
         FROM engine.turn t WHERE id = ANY($1) AND (answer_id IS NOT NULL OR notice_id IS NOT NULL) ORDER BY id`,
      [turnIds],
    )) as SendingTurn[];
    return turns.flatMap(repliesOf);
  }

  private async offerDue(limit: number): Promise<number> {
    const behindMs = await this.jobClient.behindMs(deliverySend.queue);
    const passed = await this.handovers.find(limit, behindMs);
    const due = await this.handovers.due(limit, behindMs);
    const ids = new Set(due.map(({ subject_id }) => subject_id));
    const replies = await this.ofTurns([...new Set(due.map(({ owner_id }) => owner_id))]);
    await Promise.all(replies.filter(({ delivery_id }) => ids.has(delivery_id)).map((reply) => this.resend(reply)));
    // What its turn no longer sends: it was redriven since, erased, or is past its retention.
    const sent = new Set(replies.map(({ delivery_id }) => delivery_id));
    await this.handovers.forget([...ids].filter((id) => !sent.has(id)));
    return Math.max(passed, due.length);
  }

  private async offer(reply: OfferedReply): Promise<void> {
    await this.jobClient.enqueue(deliverySend, this.payloadOf(reply));
  }

  private async resend(reply: OfferedReply): Promise<void> {
    const payload = { ...this.payloadOf(reply), custody: { resent: true } };
    const item = { payload, attempts: 0, addedAtMs: Date.now() };
    // If Redis is unavailable, it is offered again later.
    await this.jobClient.republish(deliverySend, item, resentAfterMs).catch(() => undefined);
  }

  private payloadOf({ content, ...reply }: OfferedReply): DeliverySendPayload {
    const fits = Buffer.byteLength(JSON.stringify(content)) <= this.settings.INLINE_LIMIT_BYTES;
    return { ...reply, ...(fits ? { content } : {}) };
  }
}

/** The reply of a surplus turn is surplus too. */
function surplusOf(custody: JobCustody | undefined): { custody?: JobCustody } {
  return custody?.surplus ? { custody: { surplus: true } } : {};
}

/** A turn sends the notice that it failed, or since it was redriven the answer. */
function repliesOf({
  id,
  app_id,
  state,
  input,
  reply_text,
  answer_id,
  notice_id,
  files,
  interims,
  ...turn
}: SendingTurn): OfferedReply[] {
  if (!input?.reply) return [];
  const target = wholeReplyTarget(input.reply, app_id);
  const common = { ...turn, turn_id: id };
  const [last, ...earlier] = (interims ?? []).map((ref) => interimKey({ turn_id: id, call_ref: ref }));
  const place = {
    ...(last !== undefined && { replaces: last }),
    // One that was not sent has taken no place: those before it may still be on their way.
    ...(earlier.length > 0 && { replaces_earlier: earlier }),
  };
  const due = dueNoticeOf({ state, notice_id });
  const notice = { text: input.failure_notice ?? '', format: 'plain', ...place, target } as const;
  const answer = {
    text: reply_text ?? '',
    ...(files === null ? {} : { attachments: files }),
    // The notice stands there already.
    ...(notice_id === null ? place : {}),
    target,
  };
  return [
    ...(due === null ? [] : [{ ...common, delivery_id: due, content: notice }]),
    ...(answer_id === null ? [] : [{ ...common, delivery_id: answer_id, content: answer }]),
  ];
}
