import 'reflect-metadata';
import { startService } from '#libs/service-kit';
import { env } from './env.js';
import { registryService } from './service.js';

await startService(registryService(env));
