import { Module } from '@nestjs/common';
import { AttentionController } from './attention.controller.js';
import { AttentionRepository } from './attention.repository.js';
import { SpentBudgetRepository } from './spent-budget.repository.js';

@Module({
  controllers: [AttentionController],
  providers: [AttentionRepository, SpentBudgetRepository],
})
export class AttentionModule {}
