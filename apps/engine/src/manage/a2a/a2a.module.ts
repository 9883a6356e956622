import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.js';
import { A2ACalls } from './a2a-calls.service.js';
import { A2AHttpController } from './a2a-http.controller.js';
import { A2AController } from './a2a.controller.js';
import { AgentCards } from './agent-card.js';
import { AgentKeys } from './agent-keys.js';
import { SealedSecrets } from './push-secrets.js';
import { TaskPusher } from './task-pusher.service.js';

@Module({
  imports: [TasksModule],
  controllers: [A2AController, A2AHttpController],
  providers: [A2ACalls, AgentCards, AgentKeys, SealedSecrets, TaskPusher],
})
export class A2AModule {}
