import 'reflect-metadata';
import { databaseUrl, lockWaits } from './env.js';
import { migrateAll } from './migrate.js';
import { runPreparingJob, writeLine } from './preparing-job.js';

const saysWait = (why: string): void => writeLine('migrate', 40, 'migration.waits', why);
await runPreparingJob('migrate', () => migrateAll(databaseUrl(), 'js', lockWaits(), saysWait));
