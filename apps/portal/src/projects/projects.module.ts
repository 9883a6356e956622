import { Module } from '@nestjs/common';
import { ProjectController } from './project.controller.js';
import { ProjectRepository } from './project.repository.js';

@Module({
  controllers: [ProjectController],
  providers: [ProjectRepository],
  exports: [ProjectRepository],
})
export class ProjectsModule {}
