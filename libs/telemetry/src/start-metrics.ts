import type { Registry } from 'prom-client';

export interface MetricsSettings {
  /** Where OTLP over HTTP is received (`http://collector:4318`). */
  OTEL_EXPORTER_OTLP_ENDPOINT: string | null;
  /** How often metrics are sent there, in ms; 0: they wait to be scraped. */
  METRICS_EXPORT_MS: number;
}

/**
 * Sends a registry's metrics to a collector, at intervals and once more at the end. OpenTelemetry is loaded only then.
 * @param say receives, at most once a minute, why they could not be sent
 * @returns stops it, after sending the last metrics
 * @throws Error when metrics are to be sent but no address is set
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
