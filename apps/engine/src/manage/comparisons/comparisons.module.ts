import { Module } from '@nestjs/common';
import { AgentsModule } from '../../agents.module.js';
import { TurnsModule } from '../../turns.module.js';
import { CaseSetController } from './case-set.controller.js';
import { CaseSetRepository } from './case-set.repository.js';
import { CaseSources } from './case-sources.service.js';
import { ComparisonController } from './comparison.controller.js';
import { ComparisonCaseRepository } from './comparison-case.repository.js';
import { ComparisonRepository } from './comparison.repository.js';
import { ComparisonRunner } from './comparison-runner.service.js';
import { ComparisonService } from './comparison.service.js';

@Module({
  imports: [AgentsModule, TurnsModule],
  controllers: [ComparisonController, CaseSetController],
  providers: [
    CaseSetRepository,
    CaseSources,
    ComparisonCaseRepository,
    ComparisonRepository,
    ComparisonRunner,
    ComparisonService,
  ],
})
export class ComparisonsModule {}
