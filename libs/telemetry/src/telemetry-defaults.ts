import type { MetricsSettings } from './start-metrics.js';
import type { TracingSettings } from './start-tracing.js';

export type TelemetrySettings = TracingSettings & MetricsSettings;

/** Nothing is sent anywhere. */
export const telemetryDefaults: TelemetrySettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: null,
  TRACES_PERCENT: 100,
  METRICS_EXPORT_MS: 0,
};
