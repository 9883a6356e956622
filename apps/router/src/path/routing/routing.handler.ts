import { messageRoute, type MessageRoutePayload } from '#libs/contracts';
import { Journal, type JournalEntry } from '#libs/journal';
import { type DeadJob, errorCode, JobClient, JobContext, permanentCode } from '#libs/queue';
import { Controller } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { RoutingService } from './routing.service.js';

@Controller()
export class RoutingHandler {
  constructor(
    private readonly routing: RoutingService,
    private readonly journal: Journal,
    private readonly jobs: JobClient,
  ) {}

  @EventPattern<string>('message.route')
  async route(@Payload() job: MessageRoutePayload, @Ctx() context: JobContext): Promise<void> {
    const attempt = (job.custody?.attempts ?? 0) + context.attempt;
    try {
      await this.routing.route(job, attempt);
    } catch (error) {
      // It is retried later, and no turn waits for it.
      this.jobs.order.leave(job.app_id, job.receipt_id);
      // Recorded, so that the sweep of the ingress leaves it to the retry.
      if (permanentCode(error) === null && context.attempt < messageRoute.attempts) {
        this.journal.append(entryOf(job, attempt, 'retrying', errorCode(error), String(error)));
      }
      throw error;
    }
  }

  @EventPattern<string>('message.route.dead')
  async dead(
    @Payload() { payload, code, reason }: DeadJob<MessageRoutePayload>,
    @Ctx() context: JobContext,
  ): Promise<void> {
    await this.journal.appendNow(
      entryOf(payload, (payload.custody?.attempts ?? 0) + context.attempt, 'dead', code, reason),
    );
  }
}

function entryOf(
  { receipt_id, organization_id, project_id, app_id }: MessageRoutePayload,
  attempt: number,
  outcome: 'retrying' | 'dead',
  reason: string,
  error: string,
): JournalEntry {
  const subject = { receipt_id, organization_id, project_id, app_id };
  return { ...subject, stage: 'routed', outcome, reason, attempt, detail: { error: error.slice(0, 500) } };
}
