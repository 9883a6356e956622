import type { LoggerService } from '@nestjs/common';
import { traceFields } from '#libs/tracing';
import { pino, type Logger as PinoLogger } from 'pino';

const redacted = ['authorization', 'credentials', 'token', 'secret', 'password', 'api_key', 'headers', 'body'];

/** JSON lines on stdout; those of a message name it. Fields that may hold a secret are redacted at any of the first two levels. */
export function createLog(service: string, level: string): PinoLogger {
  return pino({
    level,
    base: { service },
    mixin: () => traceFields() ?? {},
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: redacted.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
  });
}

/** Pino behind Nest's logger, so that `new Logger('x')` anywhere writes the same JSON lines. */
export class NestLog implements LoggerService {
  constructor(private readonly pinoLog: PinoLogger) {}

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
    const context = rest.at(-1);
    const fields = typeof context === 'string' ? { context } : {};
    if (typeof message === 'object' && message !== null) this.pinoLog[level]({ ...fields, ...message });
    else this.pinoLog[level](fields, String(message));
  }
}
