import 'reflect-metadata';
import { databaseAdminUrl, refuseOverridden, rolePasswords } from './env.js';
import { runPreparingJob } from './preparing-job.js';
import { prepareRoles } from './roles.js';

await runPreparingJob('database-roles', () => {
  refuseOverridden();
  return prepareRoles(databaseAdminUrl(), rolePasswords());
});
