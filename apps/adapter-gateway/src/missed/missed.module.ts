import { Module } from '@nestjs/common';
import { AdaptersModule } from '../adapters.module.js';
import { AppsModule } from '../apps.module.js';
import { MissedAskRepository } from './missed-ask.repository.js';
import { MissedController, OutageController } from './missed.controller.js';
import { MissedService } from './missed.service.js';

@Module({
  imports: [AdaptersModule, AppsModule],
  controllers: [MissedController, OutageController],
  providers: [MissedAskRepository, MissedService],
})
export class MissedModule {}
