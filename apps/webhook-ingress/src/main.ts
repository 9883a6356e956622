import 'reflect-metadata';
import { startService } from '#libs/service-kit';
import { serviceFrom } from './service.js';

await startService(serviceFrom());
