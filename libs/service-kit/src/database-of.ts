import { Database, Liveness } from '#libs/database';
import { ModulesContainer } from '@nestjs/core';
import type { INestApplication, Type } from '@nestjs/common';

/** The data source of a service, or null for one without. */
export const databaseOf = (app: INestApplication): Database | null => provided(app, Database);

/** The liveness of a service, or null for one without. */
export const livenessOf = (app: INestApplication): Liveness | null => provided(app, Liveness);

function provided<T>(app: INestApplication, type: Type<T>): T | null {
  // Nest ends the process when asked for a provider that it does not have.
  const modules = [...app.get(ModulesContainer).values()];
  if (!modules.some(({ providers }) => providers.has(type))) return null;
  const [instance] = app.get<T>(type, { strict: false, each: true }) as T[];
  return instance ?? null;
}
