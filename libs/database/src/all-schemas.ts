import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { ServiceSchema } from './service-schema.js';

/** A schema and the service that owns it; null for a library's schema, which services share. */
export interface OwnedSchema {
  schema: ServiceSchema;
  service: string | null;
}

/**
 * The schema of every service that has one (`apps/<service>/src/db/schema`), found by folder, because a library must
 * not import a service. Libraries with a schema of their own are listed, and come first.
 */
export async function allSchemas(extension: 'js' | 'ts' = 'js'): Promise<OwnedSchema[]> {
  const root = new URL('../../../', import.meta.url);
  const names = (await readdir(new URL('apps/', root))).sort();
  const found: OwnedSchema[] = [];
  for (const service of [null, ...names]) {
    const folder = service === null ? 'libs/journal/src' : `apps/${service}/src`;
    const file = new URL(`${folder}/db/schema.${extension}`, root);
    if (!existsSync(file)) continue;
    const { schema } = (await import(file.href)) as { schema: ServiceSchema };
    found.push({ schema, service });
  }
  return found;
}
