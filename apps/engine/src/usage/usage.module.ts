import { Module } from '@nestjs/common';
import { BudgetHoldRepository } from './budget-hold.repository.js';
import { UsageExportController } from './usage-export.controller.js';
import { UsageExportRepository } from './usage-export.repository.js';
import { UsageController } from './usage.controller.js';
import { UsageRepository } from './usage.repository.js';

@Module({
  controllers: [UsageController, UsageExportController],
  providers: [BudgetHoldRepository, UsageExportRepository, UsageRepository],
  exports: [BudgetHoldRepository, UsageRepository],
})
export class UsageModule {}
