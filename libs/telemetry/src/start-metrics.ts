import type { Registry } from 'prom-client';

export interface MetricsSettings {
  /** Where OTLP over HTTP is taken (`http://collector:4318`). */
  OTEL_EXPORTER_OTLP_ENDPOINT: string | null;
  /** How often metrics are sent there, in ms; 0: they wait to be scraped. */
  METRICS_EXPORT_MS: number;
}

/**
 * Sends what a registry counts to a collector, every so often and once more at the end. OpenTelemetry is loaded only then.
 * @param say is told, at most once a minute, why they could not be sent
 * @returns what ends it, once the last of it was sent
 * @throws Error where metrics are to be sent, and not where to
 */
export async function startMetrics(
  service: string,
  registry: Registry,
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, METRICS_EXPORT_MS: everyMs }: MetricsSettings,
  say: (error: string) => void,
): Promise<() => Promise<void>> {
  if (everyMs === 0) return async () => undefined;
  if (endpoint === null)
    throw new Error('METRICS_EXPORT_MS is set: set OTEL_EXPORTER_OTLP_ENDPOINT too, or leave it out.');
  const { exportMetrics } = await import('./otlp-metrics.js');
  return exportMetrics(service, registry, endpoint, everyMs, say);
}
