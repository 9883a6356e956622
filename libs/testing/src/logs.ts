import { ConsoleLogger, Logger } from '@nestjs/common';

/** For what fails on purpose: Nest's own log says nothing of it, until `restoreLogs`. */
export const silenceLogs = (): void => Logger.overrideLogger(false);

/** The next file of this worker has a log again. */
export const restoreLogs = (): void => Logger.overrideLogger(new ConsoleLogger());
