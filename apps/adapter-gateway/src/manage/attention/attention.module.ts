import { Module } from '@nestjs/common';
import { AdaptersModule } from '../../adapters.module.js';
import { AppsModule } from '../../apps.module.js';
import { DeliveriesModule } from '../../deliveries.module.js';
import { RegistrationModule } from '../registration/registration.module.js';
import { AttentionController } from './attention.controller.js';
import { AttentionRepository } from './attention.repository.js';
import { AttentionService } from './attention.service.js';

@Module({
  imports: [AdaptersModule, AppsModule, DeliveriesModule, RegistrationModule],
  controllers: [AttentionController],
  providers: [AttentionRepository, AttentionService],
})
export class AttentionModule {}
