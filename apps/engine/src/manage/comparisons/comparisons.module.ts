import { Module } from '@nestjs/common';
import { AgentsModule } from '../../agents.module.js';
import { TurnsModule } from '../../turns.module.js';
import { ComparisonController } from './comparison.controller.js';
import { ComparisonCaseRepository } from './comparison-case.repository.js';
import { ComparisonRepository } from './comparison.repository.js';
import { ComparisonRunner } from './comparison-runner.service.js';
import { ComparisonService } from './comparison.service.js';

@Module({
  imports: [AgentsModule, TurnsModule],
  controllers: [ComparisonController],
  providers: [ComparisonCaseRepository, ComparisonRepository, ComparisonRunner, ComparisonService],
})
export class ComparisonsModule {}
