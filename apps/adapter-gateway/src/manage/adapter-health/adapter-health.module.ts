import { Module } from '@nestjs/common';
import { RegistrationModule } from '../registration/registration.module.js';
import { AdapterHealthController } from './adapter-health.controller.js';
import { AdapterHealthRepository } from './adapter-health.repository.js';

@Module({
  imports: [RegistrationModule],
  controllers: [AdapterHealthController],
  providers: [AdapterHealthRepository],
})
export class AdapterHealthModule {}
