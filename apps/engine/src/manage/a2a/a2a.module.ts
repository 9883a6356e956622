import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.js';
import { A2AController } from './a2a.controller.js';
import { AgentCards } from './agent-card.js';
import { AgentKeys } from './agent-keys.js';

@Module({
  imports: [TasksModule],
  controllers: [A2AController],
  providers: [AgentCards, AgentKeys],
})
export class A2AModule {}
