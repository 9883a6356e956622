import 'reflect-metadata';
import { databaseUrl } from './env.js';
import { migrateAll } from './migrate.js';
import { runPreparingJob } from './preparing-job.js';

await runPreparingJob('migrate', () => migrateAll(databaseUrl()));
