import type { TracingSettings } from './start-tracing.js';

/** No trace leaves the process. */
export const tracingDefaults: TracingSettings = { OTEL_EXPORTER_OTLP_ENDPOINT: null, TRACES_PERCENT: 100 };
