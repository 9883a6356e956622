import 'reflect-metadata';
import { migrateAll } from './migrate.js';
import { databaseUrl } from './env.js';

process.stdout.write(`${JSON.stringify(await migrateAll(databaseUrl()))}\n`);
