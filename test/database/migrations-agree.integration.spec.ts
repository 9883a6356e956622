import 'reflect-metadata';
import { dataSourceOptions, type ServiceSchema } from '#libs/database';
import { testDatabase, type TestDatabase } from '#libs/testing';
import { readdir } from 'node:fs/promises';
import { DataSource } from 'typeorm';

const apps = new URL('../../apps/', import.meta.url);

describe('migrations', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await testDatabase();
  });

  afterAll(async () => {
    await database.drop();
  });

  it('create exactly the tables that the entities of every service describe', async () => {
    const drift: Record<string, string[]> = {};
    for (const name of await readdir(apps)) {
      const schema = await schemaOf(name);
      if (!schema) continue;
      const source = new DataSource(
        dataSourceOptions(schema, { url: database.url, poolSize: 2, applicationName: 'drift' }),
      );
      await source.initialize();
      const { upQueries } = await source.driver.createSchemaBuilder().log();
      drift[schema.name] = upQueries.map(({ query }) => query);
      await source.destroy();
    }
    expect(drift).toEqual({ engine: [], gateway: [], ingress: [], portal: [], registry: [], router: [], vault: [] });
  });
});

async function schemaOf(app: string): Promise<ServiceSchema | null> {
  const files = await readdir(new URL(`${app}/src/`, apps), { recursive: true }).catch((): string[] => []);
  if (!files.includes('db/schema.ts')) return null;
  const module = (await import(new URL(`${app}/src/db/schema.ts`, apps).href)) as { schema: ServiceSchema };
  return module.schema;
}
