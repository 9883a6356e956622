import { Module } from '@nestjs/common';
import { RegistrationModule } from '../registration/registration.module.js';
import { ConformanceRunRepository } from './conformance-run.repository.js';
import { ConformanceController } from './conformance.controller.js';
import { ConformanceService } from './conformance.service.js';

@Module({
  imports: [RegistrationModule],
  controllers: [ConformanceController],
  providers: [ConformanceRunRepository, ConformanceService],
})
export class ConformanceModule {}
