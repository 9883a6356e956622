import { dataSourceOptions } from '#libs/database';
import { testDatabase } from '#libs/testing';
import { DataSource } from 'typeorm';
import { schema } from './schema.js';

describe('the schema of the vault', () => {
  it('is what the entities describe, after its migrations', async () => {
    const database = await testDatabase();
    const options = dataSourceOptions(schema, { url: database.url, poolSize: 2, applicationName: 'test' });
    const db = await new DataSource(options).initialize();
    try {
      const { upQueries } = await db.driver.createSchemaBuilder().log();
      expect(upQueries.map(({ query }) => query)).toEqual([]);
    } finally {
      await db.destroy();
      await database.drop();
    }
  });
});
