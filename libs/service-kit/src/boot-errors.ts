/**
 * Loaded before everything else, by boot-signals.ts. An error that nobody catches ends the process, as it does by
 * default, with one line of the log instead of a stack on stderr. It imports nothing, since a package may be what is
 * missing.
 */
process.on('uncaughtException', (thrown: unknown) => {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const isSetting = error.name === 'WrongSettings';
  const line = {
    level: 60,
    time: new Date().toISOString(),
    service: process.env['APP'] ?? 'unknown',
    event: isSetting ? 'settings.refused' : 'process.failed',
    ...(isSetting ? {} : { stack: error.stack }),
    msg: error.message,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`, () => process.exit(1));
});

export {};
