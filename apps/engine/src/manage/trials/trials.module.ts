import { Module } from '@nestjs/common';
import { AgentsModule } from '../../agents.module.js';
import { PreviewsModule } from '../../previews.module.js';
import { TurnsModule } from '../../turns.module.js';
import { TrialController } from './trial.controller.js';
import { TrialRepository } from './trial.repository.js';
import { TrialService } from './trial.service.js';

@Module({
  imports: [AgentsModule, PreviewsModule, TurnsModule],
  controllers: [TrialController],
  providers: [TrialRepository, TrialService],
})
export class TrialsModule {}
