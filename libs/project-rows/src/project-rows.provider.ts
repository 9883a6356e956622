import { Database } from '#libs/database';
import type { Provider } from '@nestjs/common';
import type { MovedRows } from './moved-rows.js';
import { ProjectRows } from './project-rows.repository.js';

/** @param lists of the service, in the order in which their rows are stored */
export const projectRowsProvider = (...lists: MovedRows[]): Provider => ({
  provide: ProjectRows,
  useFactory: (db: Database) => new ProjectRows(db, lists),
  inject: [Database],
});
