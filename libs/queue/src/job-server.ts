import { backoffMs, jobs, type JobContract } from '#libs/contracts';
import { inMessage, inSpan } from '#libs/telemetry';
import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import type { Job } from 'bullmq';
import { validateSync } from 'class-validator';
import { isObservable, lastValueFrom } from 'rxjs';
import type { JobBatch, JobItem } from './job-batch.js';
import { consumerConnection, queuePrefix, type RedisConnection, surplusLane } from './connection.js';
import { Consumer } from './consumer.js';
import { classify, errorCode, PermanentFailure } from './failures.js';
import { RedisHealth } from './health/redis-health.js';
import { hasSurplus, JobClient } from './job-client.js';
import { JobContext, type Waiting } from './job-context.js';
import { patience, type Patience, Watchdog } from './watchdog.js';

export interface JobServerOptions {
  redisUrl: string;
  /** Absent: one of its own. */
  health?: RedisHealth;
  /** The queues this service consumes; each of their jobs needs one handler and one handler for its dead letters. */
  queues: string[];
  /**
   * BullMQ jobs of one queue that run at the same time in this process; each may carry a batch of 32. Four times as
   * many may wait on other jobs beside them.
   */
  concurrency: number;
  /** As `concurrency`, for surplus; one at a time while other jobs come. Absent: the same. */
  surplusConcurrency?: number;
  /** The share of its time that surplus may take in this process while other jobs come, over 0. Absent: all of it. */
  surplusDuty?: number;
  patience?: Patience;
  /** What happens when new consumers take nothing either. Absent: the process is asked to end, as by its supervisor. */
  giveUp?: (reason: string) => void;
}

/** A queue's own jobs or its surplus: what consumes them now. */
interface Lane {
  consumer: Consumer<JobBatch>;
  connection: RedisConnection;
}

/** What a `<job>.dead` handler gets. `payload` is as it came, and may itself be what was wrong. */
export interface DeadJob<P> {
  payload: P;
  code: string;
  reason: string;
}

/** It drains, and whoever keeps it starts it again. */
const endProcess = (): void => void process.kill(process.pid, 'SIGTERM');

/** After a job that is not surplus, surplus makes way for this long, in case another one comes. */
const wayIsMadeMs = 1_000;

/** BullMQ as a transport of `@nestjs/microservices`: handlers are `@EventPattern` methods named after their job. */
export class JobServer extends Server implements CustomTransportStrategy {
  override readonly propagatesEventHandlerErrors = true;
  private readonly lanes = new Map<string, Lane>();
  /** Consumers that were replaced, until what they had begun has ended. */
  private readonly ending = new Set<Promise<void>>();
  private readonly retries: JobClient;
  private readonly watchdog: Watchdog;
  private readonly health: RedisHealth;
  /** The project whose surplus was taken last. */
  private lastSurplus: unknown;
  /** Timers that end the time in which surplus makes way. */
  private readonly ways = new Map<Lane, NodeJS.Timeout>();

  constructor(private readonly options: JobServerOptions) {
    super();
    this.health = options.health ?? new RedisHealth();
    this.retries = new JobClient(options.redisUrl, this.health);
    this.watchdog = new Watchdog(options.patience ?? patience, options.giveUp ?? endProcess);
  }

  override listen(callback: () => void): void {
    this.requireHandlers();
    const connection = consumerConnection(this.options.redisUrl, this.health);
    for (const queue of this.options.queues) {
      const surplus = hasSurplus(queue) ? this.open(surplusLane(queue), queue, connection, null) : null;
      this.open(queue, queue, connection, surplus && ((job) => this.makeWay(surplus, job)));
    }
    callback();
  }

  /** Stops taking jobs and waits for the running ones. */
  override async close(): Promise<void> {
    for (const way of this.ways.values()) clearTimeout(way);
    this.watchdog.close();
    const lanes = [...this.lanes.values()];
    await Promise.allSettled([...this.ending, ...lanes.map(({ consumer }) => consumer.close())]);
    await this.retries.close();
    for (const { connection } of lanes) connection.disconnect();
  }

  /** Consumers made anew since the start, by lane. */
  get renewed(): ReadonlyMap<string, number> {
    return this.watchdog.renewed;
  }

  override on(): never {
    throw new Error('the job transport has no events of its own');
  }

  override unwrap<T>(): T {
    return Array.from(this.lanes.values(), ({ consumer }) => consumer) as T;
  }

  /**
   * Runs surplus one job at a time, with rests, while other jobs come: they have to wait for whatever the process is
   * running, and for a core while other processes run surplus.
   */
  private makeWay(surplus: Lane, { data }: Job<JobBatch>): void {
    // A project need not make way for itself.
    if (data.items.every(({ payload }) => payload['project_id'] === this.lastSurplus)) return;
    clearTimeout(this.ways.get(surplus));
    surplus.consumer.pace(1, this.options.surplusDuty ?? 1);
    const end = (): void => {
      surplus.consumer.pace(this.surplusConcurrency, 1);
    };
    this.ways.set(surplus, setTimeout(end, wayIsMadeMs).unref());
  }

  /** While Redis refuses the work itself, no other consumer and no other process would do better. */
  private get isRefused(): boolean {
    return (this.health.state()?.code ?? 'unreachable') !== 'unreachable';
  }

  private get surplusConcurrency(): number {
    return this.options.surplusConcurrency ?? this.options.concurrency;
  }

  /** @param onOwn what a job of the queue's own lane means to its surplus; null: nothing, or this is the surplus */
  private open(
    name: string,
    queue: string,
    connection: RedisConnection,
    onOwn: ((job: Job<JobBatch>) => void) | null,
  ): Lane {
    const take = (job: Job<JobBatch>, consumer: Consumer<JobBatch>): Promise<void> => {
      if (name === queue) onOwn?.(job);
      else this.lastSurplus = job.data.items.at(-1)?.payload['project_id'];
      return this.process(job, (wait) => consumer.letWait(job, wait));
    };
    const lane: Lane = { connection, consumer: this.consume(name, queue, connection, take) };
    let takenBefore = 0;
    this.watchdog.watch({
      lane: name,
      taken: () => takenBefore + lane.consumer.begun,
      free: () => lane.consumer.hasRoom,
      due: async () => (this.isRefused ? 0 : this.retries.due(queue, name)),
      renew: () => {
        const { consumer: old, connection: shared } = lane;
        takenBefore += old.begun;
        lane.connection = consumerConnection(this.options.redisUrl, this.health);
        lane.consumer = this.consume(name, queue, lane.connection, take);
        const ended = Promise.allSettled([old.abandon()]).then(() => {
          this.ending.delete(ended);
          if (![...this.lanes.values()].some((each) => each.connection === shared)) shared.disconnect();
        });
        this.ending.add(ended);
      },
    });
    this.lanes.set(name, lane);
    return lane;
  }

  private consume(
    lane: string,
    queue: string,
    connection: RedisConnection,
    take: (job: Job<JobBatch>, consumer: Consumer<JobBatch>) => Promise<void>,
  ): Consumer<JobBatch> {
    const places = lane === queue ? this.options.concurrency : this.surplusConcurrency;
    const consumer: Consumer<JobBatch> = new Consumer<JobBatch>(
      lane,
      (job) => take(job, consumer),
      places,
      connection,
      {
        connection,
        prefix: queuePrefix(queue),
        // A stalled job is a killed process, not a bad job. It runs again, and the rows decide what is left to do. Sweeps
        // find a dead process's work sooner than this; a shorter lock would run jobs of a busy process twice.
        maxStalledCount: 1_000,
        stalledInterval: 2_000,
        lockDuration: 10_000,
        // After an error of Redis. BullMQ's own 15 s would be added to every outage.
        runRetryDelay: 1_000,
      },
    );
    consumer.on('error', (error) => {
      if (!this.health.note(error)) this.logger.debug?.(`queue ${lane}: ${error.message}`);
    });
    return consumer;
  }

  private async process(job: Job<JobBatch>, waiting: Waiting): Promise<void> {
    const contract: JobContract | undefined = jobs.find((known) => known.name === job.name);
    if (!contract) {
      this.logger.error({ event: 'job.unknown', job: job.name });
      return;
    }
    const served = await Promise.allSettled(job.data.items.map((item) => this.follow(contract, item, waiting)));
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
    try {
      const startMs = performance.now();
      await this.call(contract.name, checkedPayload(contract, item.payload), context);
      const duration_ms = Math.round(performance.now() - startMs);
      this.logger.debug?.({
        event: 'job.handled',
        job: contract.name,
        attempt,
        duration_ms,
        waited_ms: context.waitedMs(),
      });
    } catch (error) {
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
  }

  private async call(pattern: string, data: unknown, context: JobContext): Promise<void> {
    const handler = this.getHandlerByPattern(pattern);
    if (!handler) throw new PermanentFailure('no_handler', `no handler for ${pattern}`);
    const result: unknown = await handler(data, context);
    if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
  }

  private requireHandlers(): void {
    const wanted = jobs
      .filter((job) => this.options.queues.includes(job.queue))
      .flatMap((job) => [job.name, `${job.name}.dead`]);
    for (const pattern of wanted) {
      const handler = this.getHandlerByPattern(pattern);
      if (!handler) throw new Error(`No handler for the job ${pattern}: add an @EventPattern('${pattern}') method.`);
      if (handler.next) throw new Error(`Two handlers for the job ${pattern}: each job has exactly one.`);
    }
    for (const pattern of this.messageHandlers.keys()) {
      if (!wanted.includes(pattern)) throw new Error(`A handler for ${pattern}, which this service does not consume.`);
    }
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
