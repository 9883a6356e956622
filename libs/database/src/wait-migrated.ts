import 'reflect-metadata';
import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { allSchemas } from './all-schemas.js';
import { databaseUrl } from './env.js';
import { SchemaState } from './schema-state.js';
import { dataSourceOptions, type ServiceSchema } from './service-schema.js';

/**
 * `wait-migrated <service>` exits once the schema of that service is at this build's version. A pod runs it before the
 * service, so manifests may be applied in any order. Every 15 s it prints what it waits for.
 */
const name = process.argv[2] ?? '';
const schema = (await allSchemas()).find(({ service }) => service === name)?.schema;
if (!schema) throw new Error(`no service with a schema is named ${JSON.stringify(name)}`);

const askEveryMs = 1_000;
const sayEveryMs = 15_000;
const settings = { url: databaseUrl(), poolSize: 1, applicationName: `wait-${name}` };

for (let said = 0; ; await pause(askEveryMs)) {
  const problem = await problemOf(schema);
  if (problem === null) break;
  if (Date.now() - said < sayEveryMs) continue;
  said = Date.now();
  process.stdout.write(`${name} waits: ${problem}\n`);
}

async function problemOf(wanted: ServiceSchema): Promise<string | null> {
  const source = new DataSource(dataSourceOptions(wanted, settings));
  try {
    await source.initialize();
    return await new SchemaState(source).problem();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    if (source.isInitialized) await source.destroy();
  }
}
