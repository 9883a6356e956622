import { backoffMs, jobs, type JobContract } from '#libs/contracts';
import { isPostgresAway, LastingTrouble } from '#libs/database';
import { inMessage, inSpan } from '#libs/telemetry';
import type { LoggerService } from '@nestjs/common';
import type { MessageHandler } from '@nestjs/microservices';
import { validateSync } from 'class-validator';
import { setTimeout as pause } from 'node:timers/promises';
import { isObservable, lastValueFrom } from 'rxjs';
import { classify, errorCode, PermanentFailure } from './failures.js';
import type { JobBatch, JobItem } from './job-batch.js';
import type { JobClient } from './job-client.js';
import { JobContext, type Waiting } from './job-context.js';

/** While Postgres is away, a job keeps its place for this long and is tried this often, so that no other job is taken. */
const heldMs = 2_000;
const soon = { baseMs: 250, capMs: 1_000 };
/**
 * A job may break its own connection, or crash Postgres: where that has just worked for others, or the job is this old,
 * an attempt is counted.
 */
const workedWithinMs = 3_000;
const oldMs = 600_000;

/** What a `<job>.dead` handler gets. `payload` is as it came, and may itself be what was wrong. */
export interface DeadJob<P> {
  payload: P;
  code: string;
  reason: string;
}

/** Runs the handlers of jobs, whichever way these came, and decides what becomes of one that fails. */
export class JobRunner {
  private readonly away = new LastingTrouble('queues', 'jobs.wait_for_postgres');
  /** When a job was last handled. */
  private workedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly retries: Pick<JobClient, 'republish'>,
    private readonly handlerOf: (pattern: string) => MessageHandler | null,
    private readonly logger: LoggerService,
  ) {}

  /** Resolves when each item of a batch has ended. Rejects when Redis takes no retry, or dead-lettering fails. */
  async run(job: string, { items }: JobBatch, waiting: Waiting): Promise<void> {
    const contract: JobContract | undefined = jobs.find((known) => known.name === job);
    if (!contract) {
      this.logger.error({ event: 'job.unknown', job });
      return;
    }
    const served = await Promise.allSettled(items.map((item) => this.follow(contract, item, waiting)));
    const failed = served.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** Log lines and spans of a message's job name that message. */
  private follow(contract: JobContract, item: JobItem, waiting: Waiting): Promise<void> {
    const { receipt_id: eventId, organization_id: organizationId } = item.payload;
    const about = { 'messaging.system': 'bullmq', 'messaging.destination.name': contract.queue };
    return inMessage({ eventId: String(eventId), organizationId: String(organizationId) }, item.traceparent, () =>
      inSpan(contract.name, 'consumer', { ...about, 'gatehouse.attempt': item.attempts + 1 }, () =>
        this.serve(contract, item, waiting),
      ),
    );
  }

  /**
   * Runs one item to its end: handled, sent again, or dead. Throws when Redis takes no retry or dead-lettering fails.
   */
  private async serve(contract: JobContract, item: JobItem, waiting: Waiting): Promise<void> {
    const attempt = item.attempts + 1;
    const context = new JobContext([contract.name, attempt, item.addedAtMs, waiting]);
    const startMs = performance.now();
    const counts = startMs - this.workedAtMs < workedWithinMs || Date.now() - item.addedAtMs > oldMs;
    for (; ; await pause(backoffMs(soon, 0, 0.5))) {
      try {
        await this.handle(contract, item, context);
        this.away.works(contract.name);
        this.workedAtMs = performance.now();
        return;
      } catch (error) {
        if (!isPostgresAway(error)) {
          this.away.works(contract.name);
          await this.fail(contract, item, context, error);
          return;
        }
        this.away.fails(contract.name, error);
        if (performance.now() - startMs < heldMs) continue;
        if (counts) await this.fail(contract, item, context, error);
        else await this.retries.republish(contract, item, backoffMs(soon, 2));
        return;
      }
    }
  }

  private async handle(contract: JobContract, { payload }: JobItem, context: JobContext): Promise<void> {
    const startMs = performance.now();
    await this.call(contract.name, checkedPayload(contract, payload), context);
    const duration_ms = Math.round(performance.now() - startMs);
    const waited_ms = context.waitedMs();
    this.logger.debug?.({ event: 'job.handled', job: contract.name, attempt: context.attempt, duration_ms, waited_ms });
  }

  private async fail(contract: JobContract, item: JobItem, context: JobContext, error: unknown): Promise<void> {
    const { attempt } = context;
    const verdict = classify(error, attempt, contract.attempts);
    this.logger.warn({
      event: verdict.do === 'later' ? 'job.rescheduled' : 'job.failed',
      job: contract.name,
      id: contract.jobId(item.payload),
      attempt,
      ...verdict,
      error: String(error),
      // An error without a code was not foreseen: the stack is the only information about it.
      stack: error instanceof Error && errorCode(error) === 'internal_error' ? error.stack : undefined,
    });
    if (verdict.do === 'later') {
      await this.retries.republish(contract, item, verdict.delayMs);
    } else if (verdict.do === 'retry') {
      await this.retries.republish(contract, { ...item, attempts: attempt }, backoffMs(contract.backoff, attempt));
    } else {
      const reason = error instanceof Error ? error.message : String(error);
      await this.call(`${contract.name}.dead`, { payload: item.payload, code: verdict.code, reason }, context);
    }
  }

  private async call(pattern: string, data: unknown, context: JobContext): Promise<void> {
    const handler = this.handlerOf(pattern);
    if (!handler) throw new PermanentFailure('no_handler', `no handler for ${pattern}`);
    const result: unknown = await handler(data, context);
    if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
  }
}

/**
 * Checks a payload from the queue against its contract; the compiler checks what goes in.
 * @throws PermanentFailure `invalid_payload`, naming the fields
 */
function checkedPayload<P extends object>(contract: JobContract<P>, data: unknown): P {
  const payload = Object.assign(new contract.payload(), data);
  const errors = validateSync(payload, { forbidUnknownValues: false });
  if (errors.length > 0) {
    const fields = errors.map((error) => `${error.property}: ${Object.values(error.constraints ?? {}).join(', ')}`);
    throw new PermanentFailure('invalid_payload', `${contract.name} ${fields.join('; ')}`);
  }
  return payload;
}
