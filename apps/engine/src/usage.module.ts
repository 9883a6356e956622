import { Module } from '@nestjs/common';
import { DayUsageRepository } from './path/usage/day-usage.repository.js';
import { UsageExportController } from './manage/usage/usage-export.controller.js';
import { UsageExportRepository } from './manage/usage/usage-export.repository.js';
import { TurnPathsController } from './manage/usage/turn-paths.controller.js';
import { TurnPathRepository } from './manage/usage/turn-paths.repository.js';
import { UsageController } from './manage/usage/usage.controller.js';
import { UsageRepository } from './manage/usage/usage.repository.js';

@Module({
  controllers: [TurnPathsController, UsageController, UsageExportController],
  providers: [DayUsageRepository, TurnPathRepository, UsageExportRepository, UsageRepository],
  exports: [DayUsageRepository],
})
export class UsageModule {}
