import 'reflect-metadata';
import { migrateAll } from './migrate.js';
import { databaseUrl } from './env.js';
import { OlderLayout } from './older-layout.js';

try {
  process.stdout.write(`${JSON.stringify(await migrateAll(databaseUrl()))}\n`);
} catch (error) {
  if (!(error instanceof OlderLayout)) throw error;
  process.stderr.write(`${error.message}\n`);
  // EX_CONFIG of sysexits.h.
  process.exitCode = 78;
}
