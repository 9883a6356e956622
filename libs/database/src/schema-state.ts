import type { DataSource } from 'typeorm';

/** The schema, its list of migrations or its grants do not exist yet. */
const notYet = ['42P01', '3F000', '42501'];

const readableSql = `SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relname = 'migration'
    AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')`;

/**
 * Whether the schema of a service has every migration that its code knows. A migration that was seen once is not
 * checked again: migrations are not reverted.
 */
export class SchemaState {
  private current = false;

  constructor(private readonly source: DataSource) {}

  /** @returns what is missing, as a sentence, or null. @throws Error when Postgres does not answer */
  async problem(): Promise<string | null> {
    if (this.current) return null;
    const [first, ...others] = await this.missing();
    this.current = first === undefined;
    if (this.current) return null;
    const more = others.length > 0 ? ` and ${others.length} more migrations` : '';
    return `the schema ${this.schema} is older than this build: it lacks ${first}${more}`;
  }

  private async missing(): Promise<string[]> {
    const known = this.source.migrations.map((migration) => migration.name ?? migration.constructor.name);
    const done = new Set(await this.done());
    return known.filter((name) => !done.has(name));
  }

  private async done(): Promise<string[]> {
    try {
      // Asked first, since Postgres logs each statement that fails, and every service asks until it is there.
      const readable = (await this.source.query(readableSql, [this.schema])) as unknown[];
      if (readable.length === 0) return [];
      const rows = (await this.source.query(`SELECT name FROM "${this.schema}".migration`)) as { name: string }[];
      return rows.map(({ name }) => name);
    } catch (error) {
      if (error instanceof Error && 'code' in error && notYet.includes(String(error.code))) return [];
      throw error;
    }
  }

  private get schema(): string {
    return 'schema' in this.source.options ? (this.source.options.schema ?? 'public') : 'public';
  }
}
