import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { migrate, type ServiceSchema } from './service-schema.js';

/**
 * Migrates the schema of every service that has one (`apps/<service>/src/db/schema`), found by folder, since a library
 * must not import a service. Libraries with a schema of their own are listed.
 */
export async function migrateAll(url: string, extension: 'js' | 'ts' = 'js'): Promise<Record<string, string[]>> {
  const root = new URL('../../../', import.meta.url);
  const names = (await readdir(new URL('apps/', root))).sort();
  const files = [
    new URL(`libs/journal/src/db/schema.${extension}`, root),
    ...names.map((name) => new URL(`apps/${name}/src/db/schema.${extension}`, root)),
  ];
  const ran: Record<string, string[]> = {};
  for (const file of files) {
    const schema = await loadSchema(file);
    if (schema) ran[schema.name] = await migrate(schema, url);
  }
  return ran;
}

async function loadSchema(file: URL): Promise<ServiceSchema | null> {
  if (!existsSync(file)) return null;
  const module = (await import(file.href)) as { schema: ServiceSchema };
  return module.schema;
}
