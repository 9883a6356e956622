import { serviceName } from './service-name.js';
import { recordWith } from './spans.js';

export interface TracingSettings {
  /** Where OTLP over HTTP is received (`http://collector:4318`); null: no trace leaves the process. */
  OTEL_EXPORTER_OTLP_ENDPOINT: string | null;
  /** The percentage of messages whose trace is sent, 0 to 100; the same messages in all services. */
  TRACES_PERCENT: number;
}

/** The exporter of this process, and how many services use it. */
let shared: { users: number; close(): Promise<void> } | null = null;

/**
 * Sends spans to a collector until it is stopped. OpenTelemetry is loaded only then.
 * @param say receives, at most once a minute, why they could not be sent
 * @returns stops it, after sending the rest
 */
export async function startTracing(
  service: string,
  settings: TracingSettings,
  say: (error: string) => void,
): Promise<() => Promise<void>> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, TRACES_PERCENT: percent } = settings;
  if (endpoint === null) return async () => undefined;
  const { openExporter } = await import('./otlp-traces.js');
  if (shared === null) {
    const exporter = openExporter(endpoint, say);
    shared = { users: 0, close: () => exporter.close() };
    // By the random digits of the trace's id, as in W3C's probability sampling: all services decide alike.
    const least = 2 ** 32 * (1 - percent / 100);
    recordWith((span) => {
      if (Number.parseInt(span.traceId.slice(-8), 16) >= least) exporter.take(span, serviceName() ?? service);
    });
  }
  const used = shared;
  used.users += 1;
  return async () => {
    used.users -= 1;
    if (used.users > 0) return;
    shared = null;
    recordWith(null);
    await used.close();
  };
}
