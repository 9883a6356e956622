import { Module } from '@nestjs/common';
import { DayUsageRepository } from './day-usage.repository.js';
import { UsageExportController } from './usage-export.controller.js';
import { UsageExportRepository } from './usage-export.repository.js';
import { UsageController } from './usage.controller.js';
import { UsageRepository } from './usage.repository.js';

@Module({
  controllers: [UsageController, UsageExportController],
  providers: [DayUsageRepository, UsageExportRepository, UsageRepository],
  exports: [DayUsageRepository],
})
export class UsageModule {}
