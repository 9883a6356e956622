import { Module } from '@nestjs/common';
import { AgentUsage } from './agent-usage.js';

@Module({
  providers: [AgentUsage],
  exports: [AgentUsage],
})
export class AgentsModule {}
