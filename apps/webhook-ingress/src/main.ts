import 'reflect-metadata';
import { startService } from '#libs/service-kit';
import { env } from './env.js';
import { ingressService } from './service.js';

await startService(ingressService(env));
