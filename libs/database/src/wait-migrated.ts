import 'reflect-metadata';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { allSchemas } from './all-schemas.js';
import { databaseUrlOf } from './env.js';
import { SchemaState } from './schema-state.js';
import { dataSourceOptions, type ServiceSchema } from './service-schema.js';

/**
 * `wait-migrated <service>...` exits once the schemas of these services are at this build's version, each read as its own
 * role. A pod runs it before the services, so manifests may be applied in any order. `wait-migrated --login <job>` exits
 * once Postgres accepts the role of DATABASE_URL: a Job runs it first, since each try of a Job that fails waits longer than
 * the one before. Every 15 s it prints what it waits for.
 */
const login = process.argv[2] === '--login';
const names = process.argv.slice(login ? 3 : 2);
if (names.length === 0) throw new Error('wait-migrated needs the name of a service');

const askEveryMs = 1_000;
const sayEveryMs = 15_000;
const settingsOf = (name: string) => ({ url: databaseUrlOf(name), poolSize: 1, applicationName: `wait-${name}` });

// Nothing is waited for where a later one could not be asked.
for (const name of names) {
  settingsOf(name);
  if (!login) await schemaOf(name);
}
for (const name of names) {
  for (let reportedMs = 0; ; await pause(askEveryMs)) {
    const problem = await (login ? loginProblem(name) : schemaProblem(name));
    if (problem === null) break;
    if (Date.now() - reportedMs < sayEveryMs) continue;
    reportedMs = Date.now();
    process.stdout.write(`${name} waits: ${problem}\n`);
  }
}

async function schemaOf(service: string): Promise<ServiceSchema> {
  const schema = (await allSchemas()).find((each) => each.service === service)?.schema;
  if (!schema) throw new Error(`no service with a schema is named ${JSON.stringify(service)}`);
  return schema;
}

async function loginProblem(name: string): Promise<string | null> {
  const settings = settingsOf(name);
  const client = new pg.Client({ connectionString: settings.url, application_name: settings.applicationName });
  try {
    await client.connect();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message || error.name : String(error);
  } finally {
    // After a failed connect there may be nothing to end.
    await client.end().catch(() => undefined);
  }
}

async function schemaProblem(name: string): Promise<string | null> {
  const source = new DataSource(dataSourceOptions(await schemaOf(name), settingsOf(name)));
  try {
    await source.initialize();
    return await new SchemaState(source).problem();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    if (source.isInitialized) await source.destroy();
  }
}
