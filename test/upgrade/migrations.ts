import { allSchemas, dataSourceOptions } from '#libs/database';
import { createHash, type Hash } from 'node:crypto';
import { DataSource, type Logger } from 'typeorm';

/** By schema and migration, in order: the SHA-256 of the statements that it runs, whichever file they are in. */
export type Migrations = Record<string, Record<string, string>>;

/**
 * Runs migrations on existing or new schemas, with the role that owns them.
 * @param only those of a release; absent: all
 * @throws Error where one of them no longer exists
 */
export async function runMigrations(url: string, only?: Migrations): Promise<Migrations> {
  const ran: Migrations = {};
  for (const { schema } of await allSchemas('ts')) {
    const wanted = only && Object.keys(only[schema.name] ?? {});
    const migrations = schema.migrations.filter(({ name }) => wanted?.includes(name) ?? true);
    const gone = wanted?.filter((name) => !migrations.some((each) => each.name === name)) ?? [];
    if (gone.length > 0) throw new Error(`Migrations of the schema ${schema.name} are gone: ${gone.join(', ')}.`);
    if (wanted?.length === 0) continue;
    const digests = new StatementDigests();
    const source = new DataSource({
      ...dataSourceOptions({ ...schema, migrations }, { url, poolSize: 2, applicationName: 'upgrade' }),
      extra: {},
      logging: true,
      logger: digests,
    });
    await source.initialize();
    try {
      await source.query(`CREATE SCHEMA IF NOT EXISTS ${schema.name}`);
      await source.runMigrations();
    } finally {
      await source.destroy();
    }
    ran[schema.name] = digests.byName;
  }
  return ran;
}

/** Each migration ends by recording its name, so the statements since the previous record are its own. */
class StatementDigests implements Logger {
  readonly byName: Record<string, string> = {};
  private running: Hash = createHash('sha256');

  logQuery(statement: string, parameters: unknown[] = []): void {
    if (statement === 'START TRANSACTION') this.running = createHash('sha256');
    else if (/^INSERT INTO "\w+"\."migration"/.test(statement)) {
      this.byName[String(parameters[1])] = this.running.digest('hex');
      // Nothing after this belongs to it.
      this.running = createHash('sha256');
    } else this.running.update(`${statement.replaceAll(/\s+/g, ' ').trim()}\n`);
  }

  logQueryError(): void {}
  logQuerySlow(): void {}
  logSchemaBuild(): void {}
  logMigration(): void {}
  log(): void {}
}
