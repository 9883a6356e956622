import { type DeliverySendPayload, deliverySend } from '#libs/contracts';
import { Sweeping } from '#libs/database';
import { JobClient } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import type { EngineSettings } from '../settings.js';
import { SETTINGS } from '../settings.js';
import { type OfferedReply, ReplyRepository } from './reply.repository.js';

const sweepBatch = 200;

/** Offers committed replies to the gateway until it has taken them. */
@Injectable()
export class ReplyOffers extends Sweeping {
  constructor(
    @Inject(ReplyRepository) private readonly replies: ReplyRepository,
    @Inject(JobClient) private readonly jobClient: JobClient,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {
    super();
    this.sweepEvery({
      name: 'replies',
      everyMs: settings.SWEEP_EVERY_MS,
      batch: sweepBatch,
      sweep: (limit) => this.sweep(limit),
    });
  }

  async offer(reply: OfferedReply): Promise<void> {
    await this.jobClient.wake(deliverySend, this.payloadOf(reply));
  }

  /** Offers again what the gateway has not taken of these turns. */
  async offerAgain(turnIds: string[]): Promise<void> {
    await Promise.all((await this.replies.openOf(turnIds)).map((reply) => this.offer(reply)));
  }

  private async sweep(limit: number): Promise<number> {
    const afterMs = await this.jobClient.sweepAfterMs(deliverySend.queue, this.settings.SWEEP_AFTER_MS);
    const late = await this.replies.takeUnanswered(limit, afterMs);
    await Promise.all(late.map((reply) => this.offer(reply)));
    return late.length;
  }

  private payloadOf({ traceparent, content, ...ids }: OfferedReply): DeliverySendPayload {
    const fits = Buffer.byteLength(JSON.stringify(content)) <= this.settings.INLINE_LIMIT_BYTES;
    return { ...ids, ...(fits ? { content } : {}), ...(traceparent ? { traceparent } : {}) };
  }
}
