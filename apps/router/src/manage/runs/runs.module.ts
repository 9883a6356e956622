import { Module } from '@nestjs/common';
import { HandoverModule } from '../../path/handover/handover.module.js';
import { RoutingModule } from '../../path/routing/routing.module.js';
import { WorkflowsModule } from '../workflows/workflows.module.js';
import { DirectRunController } from './direct-run.controller.js';
import { DirectRunService } from './direct-run.service.js';

@Module({
  imports: [HandoverModule, RoutingModule, WorkflowsModule],
  controllers: [DirectRunController],
  providers: [DirectRunService],
})
export class RunsModule {}
