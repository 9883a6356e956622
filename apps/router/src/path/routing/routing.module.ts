import { Module } from '@nestjs/common';
import { GuardsModule } from '../guards/guards.module.js';
import { HandoverModule } from '../handover/handover.module.js';
import { HandedTurnController } from './handed-turn.controller.js';
import { ProjectRulesRepository } from '../rules/project-rules.repository.js';
import { ProjectRules } from '../rules/project-rules.js';
import { Rerouter } from './reroute.service.js';
import { RoutingHandler } from './routing.handler.js';
import { RoutingRepository } from './routing.repository.js';
import { RoutingService } from './routing.service.js';

@Module({
  imports: [GuardsModule, HandoverModule],
  controllers: [HandedTurnController, RoutingHandler],
  providers: [ProjectRules, ProjectRulesRepository, Rerouter, RoutingRepository, RoutingService],
  exports: [ProjectRules, Rerouter, RoutingRepository, RoutingService],
})
export class RoutingModule {}
