import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';
import { sayErrors } from './otlp-errors.js';
import { hrTime, resourceOf } from './otlp-terms.js';

/** As long as a collector may take to answer, unless the next metrics are due sooner. */
const timeoutMs = 10_000;
/** Counting started then. */
const startTime = hrTime(performance.timeOrigin);
const aggregationTemporality = AggregationTemporality.CUMULATIVE;

/**
 * Exports prom-client's metrics through OpenTelemetry, with the same names and labels; loaded only by `startMetrics`.
 */
export function exportMetrics(
  service: string,
  registry: Registry,
  endpoint: string,
  everyMs: number,
  say: (error: string) => void,
): () => Promise<void> {
  sayErrors(say);
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: `${endpoint}/v1/metrics` }),
    exportIntervalMillis: everyMs,
    exportTimeoutMillis: Math.min(timeoutMs, everyMs),
  });
  const resource = resourceOf(service);
  reader.setMetricProducer({
    collect: async () => {
      const metrics = metricsOf(await registry.getMetricsAsJSON(), hrTime(Date.now()));
      return { resourceMetrics: { resource, scopeMetrics: [{ scope: { name: 'gatehouse' }, metrics }] }, errors: [] };
    },
  });
  return () => reader.shutdown();
}

type Value = MetricValue<string> & { metricName?: string };

/** OpenTelemetry's SDK has no form for a summary, and no service uses one. */
const metricsOf = (counted: MetricObjectWithValues<Value>[], endTime: HrTime): MetricData[] =>
  counted.flatMap(({ name, help, type, values }): MetricData[] => {
    const described = {
      descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
      aggregationTemporality,
    };
    switch (String(type)) {
      case 'counter':
        return [
          { ...described, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points(values, endTime) },
        ];
      case 'gauge':
        return [{ ...described, dataPointType: DataPointType.GAUGE, dataPoints: points(values, endTime) }];
      case 'histogram':
        return [{ ...described, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(values, endTime) }];
      default:
        return [];
    }
  });
/** Leaves out values that could not be measured, for which JSON has no number. */
const points = (values: Value[], endTime: HrTime): DataPoint<number>[] =>
  values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({ startTime, endTime, attributes: attributesOf(labels), value }));

/** Prometheus counts in each bucket everything below its bound, OpenTelemetry what is between two bounds. */
function histograms(values: Value[], endTime: HrTime): DataPoint<Histogram>[] {
  const series = Map.groupBy(values, ({ labels: { le: _bound, ...labels } }) => JSON.stringify(labels));
  return [...series.values()].map((own) => {
    const total = (suffix: string): number => own.find(({ metricName }) => metricName?.endsWith(suffix))?.value ?? 0;
    const below = own.filter(({ metricName }) => metricName?.endsWith('_bucket'));
    const { le: _bound, ...labels } = own[0]?.labels ?? {};
    return {
      startTime,
      endTime,
      attributes: attributesOf(labels),
      value: {
        count: total('_count'),
        sum: total('_sum'),
        buckets: {
          boundaries: below.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite),
          counts: below.map(({ value }, index) => value - (below[index - 1]?.value ?? 0)),
        },
      },
    };
  });
}

const attributesOf = (labels: MetricValue<string>['labels']): Attributes =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, value ?? '']));
