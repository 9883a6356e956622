import { Module } from '@nestjs/common';
import { RegistrationModule } from '../registration/registration.module.js';
import { AdapterHealthSweep } from './adapter-health-sweep.js';
import { AdapterHealthController } from './adapter-health.controller.js';
import { AdapterHealthRepository } from './adapter-health.repository.js';

@Module({
  imports: [RegistrationModule],
  controllers: [AdapterHealthController],
  providers: [AdapterHealthRepository, AdapterHealthSweep],
})
export class AdapterHealthModule {}
