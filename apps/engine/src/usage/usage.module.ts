import { Module } from '@nestjs/common';
import { UsageExportController } from './usage-export.controller.js';
import { UsageExportRepository } from './usage-export.repository.js';
import { UsageController } from './usage.controller.js';
import { UsageRepository } from './usage.repository.js';

@Module({
  controllers: [UsageController, UsageExportController],
  providers: [UsageExportRepository, UsageRepository],
  exports: [UsageRepository],
})
export class UsageModule {}
