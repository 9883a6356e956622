import { Module } from '@nestjs/common';
import { RepliesModule } from '../../replies.module.js';
import { StepsModule } from '../../steps.module.js';
import { TurnsModule } from '../../turns.module.js';
import { InternalRunController } from './internal-run.controller.js';
import { RunDetailService } from './run-detail.service.js';
import { RunController } from './run.controller.js';
import { RunRepository } from './run.repository.js';
import { RunService } from './run.service.js';

@Module({
  imports: [RepliesModule, StepsModule, TurnsModule],
  controllers: [InternalRunController, RunController],
  providers: [RunDetailService, RunRepository, RunService],
})
export class RunsModule {}
