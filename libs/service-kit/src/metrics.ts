import { Logger } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Jobs of a queue by state, and the age of the one that has waited longest. */
export interface QueueDepth {
  waiting: number;
  active: number;
  delayed: number;
  oldestMs: number;
}

/** Counting rows costs Postgres. */
const ROWS_FRESH_MS = 15_000;

/** Metrics of the process: memory, CPU, the event loop. */
let ofProcess: Registry | undefined;

function processMetrics(): Registry {
  if (ofProcess) return ofProcess;
  ofProcess = new Registry();
  // The event loop's delay is sampled ten times a second, not a hundred: that was most of an idle process's wake-ups.
  collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision: 100 });
  return ofProcess;
}

/**
 * One registry per service; services that share a process each report the process's metrics under their own name. Names
 * follow Prometheus conventions (base units, `_total`).
 */
export class Metrics {
  readonly registry = new Registry();
  readonly httpSeconds: Histogram<'route' | 'method' | 'status'>;
  readonly hopSeconds: Histogram<'stage' | 'outcome'>;
  readonly outcomes: Counter<'stage' | 'outcome'>;
  readonly journalLost: Counter;
  readonly suspects: Counter<'work'>;
  readonly poisoned: Gauge<'work'>;

  constructor(service: string) {
    this.registry.setDefaultLabels({ service });
    const shared = processMetrics();
    for (const { name } of shared.getMetricsAsArray()) this.registry.registerMetric(shared.getSingleMetric(name)!);
    const registers = [this.registry];
    this.httpSeconds = new Histogram({
      name: 'gatehouse_http_request_seconds',
      help: 'HTTP requests by route, method and status',
      labelNames: ['route', 'method', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    });
    this.hopSeconds = new Histogram({
      name: 'gatehouse_hop_seconds',
      help: 'Work of one hop of the pipeline by stage and outcome',
      labelNames: ['stage', 'outcome'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
      registers,
    });
    this.outcomes = new Counter({
      name: 'gatehouse_outcomes_total',
      help: 'Outcomes of events at each stage, as in the timeline, including refused requests',
      labelNames: ['stage', 'outcome'],
      registers,
    });
    this.journalLost = new Counter({
      name: 'gatehouse_journal_write_failures_total',
      help: 'Journal entries whose batch could not be written',
      registers,
    });
    this.suspects = new Counter({
      name: 'gatehouse_suspects_total',
      help: 'Work that was tried alone because its process had died',
      labelNames: ['work'],
      registers,
    });
    // A time, not a count: the process may have just begun, and a counter that begins at 1 has no increase.
    this.poisoned = new Gauge({
      name: 'gatehouse_poisoned_timestamp_seconds',
      help: 'When work was last ended as dead because it kills its process',
      labelNames: ['work'],
      registers,
    });
  }

  /**
   * What waits in the queues that a service consumes, read from Redis at each scrape. Every replica reports the same
   * values for a queue; while Redis does not answer, none are reported.
   */
  queues(names: string[], depth: (queue: string) => Promise<QueueDepth>): void {
    let reading: Promise<[string, QueueDepth][]> | null = null;
    // Gauges are collected concurrently: they share one reading.
    const read = (): Promise<[string, QueueDepth][]> =>
      (reading ??= depthsOf(names, depth).finally(() => {
        reading = null;
      }));
    const registers = [this.registry];
    const jobs: Gauge<'queue' | 'state'> = new Gauge({
      name: 'gatehouse_queue_jobs',
      help: 'Jobs of a queue by state',
      labelNames: ['queue', 'state'],
      registers,
      collect: async () => {
        const depths = await read();
        jobs.reset();
        for (const [queue, { oldestMs: _age, ...states }] of depths) {
          for (const [state, count] of Object.entries(states)) jobs.set({ queue, state }, count);
        }
      },
    });
    const oldest: Gauge<'queue'> = new Gauge({
      name: 'gatehouse_queue_oldest_seconds',
      help: 'Age of the oldest waiting job of a queue',
      labelNames: ['queue'],
      registers,
      collect: async () => {
        const depths = await read();
        oldest.reset();
        for (const [queue, { oldestMs }] of depths) oldest.set({ queue }, oldestMs / 1_000);
      },
    });
  }

  /** A value that is read at each scrape. */
  gauge(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({ name, help, registers: [this.registry], collect: () => gauge.set(read()) });
  }

  /** Counts by the value of one label, read at each scrape. */
  counts<L extends string>(name: string, help: string, label: L, counted: ReadonlyMap<string, number>): void {
    const gauge: Gauge<L> = new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect: () => {
        for (const [value, count] of counted) gauge.set({ [label]: value } as Record<L, string>, count);
      },
    });
  }

  /**
   * Rows by the value of one label, of all projects: each replica says the same. While they cannot be read, the last
   * counts stand.
   * @param read at most every 15 s, however often it is scraped
   */
  rows<L extends string>(name: string, help: string, label: L, read: () => Promise<Iterable<[string, number]>>): void {
    let readAtMs = 0;
    const gauge: Gauge<L> = new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect: async () => {
        if (Date.now() - readAtMs < ROWS_FRESH_MS) return;
        readAtMs = Date.now();
        try {
          const counted = await read();
          gauge.reset();
          for (const [value, count] of counted) gauge.set({ [label]: value } as Record<L, string>, count);
        } catch (error) {
          new Logger('metrics').warn({ event: 'metrics.rows_not_counted', metric: name, reason: String(error) });
        }
      },
    });
  }
}

/** The depths that could be read. */
async function depthsOf(
  queues: string[],
  depth: (queue: string) => Promise<QueueDepth>,
): Promise<[string, QueueDepth][]> {
  const texts = await Promise.allSettled(
    queues.map(async (queue): Promise<[string, QueueDepth]> => [queue, await depth(queue)]),
  );
  return texts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}
