import 'reflect-metadata';
import { databaseAdminUrl, rolePasswords } from './env.js';
import { prepareRoles } from './roles.js';

process.stdout.write(`${JSON.stringify(await prepareRoles(databaseAdminUrl(), rolePasswords()))}\n`);
