import { Module } from '@nestjs/common';
import { TurnsModule } from '../../turns.module.js';
import { PublicationController } from '../publications/publication.controller.js';
import { PublicationRepository } from '../publications/publication.repository.js';
import { AgentTasks } from './agent-tasks.service.js';
import { TaskFollowers } from './task-followers.service.js';
import { TaskPushRepository } from './task-push.repository.js';
import { TaskRepository } from './task.repository.js';

@Module({
  imports: [TurnsModule],
  controllers: [PublicationController],
  providers: [AgentTasks, PublicationRepository, TaskFollowers, TaskPushRepository, TaskRepository],
  exports: [AgentTasks, PublicationRepository, TaskFollowers, TaskPushRepository, TaskRepository],
})
export class TasksModule {}
