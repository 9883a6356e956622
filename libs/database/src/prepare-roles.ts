import 'reflect-metadata';
import { databaseAdminUrl, refuseOverridden, rolePasswords } from './env.js';
import { prepareRoles } from './roles.js';

try {
  refuseOverridden();
  process.stdout.write(`${JSON.stringify(await prepareRoles(databaseAdminUrl(), rolePasswords()))}\n`);
} catch (error) {
  // The error is for whoever starts the system: a sentence without a stack trace.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  // EX_CONFIG of sysexits.h.
  process.exitCode = 78;
}
