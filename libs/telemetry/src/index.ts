export { inMessage, messageOf, traceFields, traceparent, type Message } from './message-trace.js';
export { inService } from './service-name.js';
export { exportsTraces, inSpan, recordSpan, type SpanKind } from './spans.js';
export { startTracing, type TracingSettings } from './start-tracing.js';
export { tracingDefaults } from './tracing-defaults.js';
