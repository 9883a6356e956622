import { Module } from '@nestjs/common';
import { NamedAgents } from './named-agents.js';

@Module({
  providers: [NamedAgents],
  exports: [NamedAgents],
})
export class AgentsModule {}
