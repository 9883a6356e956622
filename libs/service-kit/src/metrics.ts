import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** One registry a process; names follow Prometheus' conventions (base units, `_total`). */
export class Metrics {
  readonly registry = new Registry();
  readonly httpSeconds: Histogram<'route' | 'method' | 'status'>;
  readonly hopSeconds: Histogram<'stage' | 'outcome'>;
  readonly outcomes: Counter<'stage' | 'outcome'>;
  readonly journalLost: Counter;

  constructor(service: string) {
    this.registry.setDefaultLabels({ service });
    collectDefaultMetrics({ register: this.registry });
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
      help: 'What became of events at each stage, by the vocabulary of the timeline; refused requests among them',
      labelNames: ['stage', 'outcome'],
      registers,
    });
    this.journalLost = new Counter({
      name: 'gatehouse_journal_write_failures_total',
      help: 'Journal entries whose batch could not be written',
      registers,
    });
  }

  /** A value read when it is scraped. */
  gauge(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({ name, help, registers: [this.registry], collect: () => gauge.set(read()) });
  }
}
