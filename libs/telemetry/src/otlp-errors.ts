import { diag, DiagLogLevel } from '@opentelemetry/api';

/** A collector that is down is tried again every second. */
const quietMs = 60_000;
const nothing = (): void => undefined;

/** Reports what OpenTelemetry could not send, at most once a minute; otherwise nobody would know. */
export function sayErrors(say: (error: string) => void): void {
  let reportedAt = -Infinity;
  const error = (report: string): void => {
    if (performance.now() - reportedAt < quietMs) return;
    reportedAt = performance.now();
    say(messageIn(report));
  };
  const logger = { error, warn: nothing, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
}

/** OpenTelemetry reports an error as JSON, with its stack. */
function messageIn(report: string): string {
  try {
    const { name, code, message } = JSON.parse(report) as { name?: string; code?: string; message?: string };
    return message ? [name, code, message].filter(Boolean).join(' ') : report;
  } catch {
    return report;
  }
}
