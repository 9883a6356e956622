import { ConsoleLogger, Logger } from '@nestjs/common';

/** For failures on purpose: Nest's own log is silent until `restoreLogs`. */
export const silenceLogs = (): void => Logger.overrideLogger(false);

/** Enables the log again for this worker's next file. */
export const restoreLogs = (): void => Logger.overrideLogger(new ConsoleLogger());
