export { inMessage, messageOf, traceFields, traceparent, type Message } from './message-trace.js';
export { inService } from './service-name.js';
export { exportsTraces, inSpan, recordSpan, type SpanKind } from './spans.js';
export { startMetrics } from './start-metrics.js';
export { startTracing } from './start-tracing.js';
export { telemetryDefaults, type TelemetrySettings } from './telemetry-defaults.js';
