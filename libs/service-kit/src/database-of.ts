import { Database } from '#libs/database';
import { ModulesContainer } from '@nestjs/core';
import type { INestApplication } from '@nestjs/common';

/** The data source of a service, or null for one without. */
export function databaseOf(app: INestApplication): Database | null {
  // Asked for what it does not have, Nest ends the process.
  const modules = [...app.get(ModulesContainer).values()];
  if (!modules.some(({ providers }) => providers.has(Database))) return null;
  const [source] = app.get(Database, { strict: false, each: true });
  return source ?? null;
}
