import type { LoggerService } from '@nestjs/common';
import { traceFields } from '#libs/telemetry';
import { AsyncLocalStorage } from 'node:async_hooks';
import { pino, type Logger as PinoLogger } from 'pino';

const redacted = ['authorization', 'credentials', 'token', 'secret', 'password', 'api_key', 'headers', 'body'];

/**
 * JSON lines on stdout; those of a message name it. Fields that may hold a secret are redacted on the first two levels.
 */
export function createLog(service: string, level: string): PinoLogger {
  return pino({
    level,
    base: { service },
    mixin: () => traceFields() ?? {},
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: redacted.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
  });
}

const logInUse = new AsyncLocalStorage<PinoLogger>();

/**
 * Nest has one logger per process. Where several services share it, everything that `start` begins, and what follows
 * from it (requests, jobs, timers), logs here.
 */
export const logBy = <T>(log: PinoLogger, start: () => T): T => logInUse.run(log, start);

/** Pino behind Nest's logger, so that `new Logger('x')` anywhere writes the same JSON lines. */
export class NestLog implements LoggerService {
  constructor(private readonly ownLog: PinoLogger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  private write(level: 'info' | 'error' | 'warn' | 'debug' | 'trace', message: unknown, rest: unknown[]): void {
    const log = logInUse.getStore() ?? this.ownLog;
    const context = rest.at(-1);
    const fields = typeof context === 'string' ? { context } : {};
    if (typeof message === 'object' && message !== null) log[level]({ ...fields, ...message });
    else log[level](fields, String(message));
  }
}
