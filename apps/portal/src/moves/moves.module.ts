import { projectRowsProvider } from '#libs/project-rows';
import { Module } from '@nestjs/common';
import { movedRows } from '../db/moved-rows.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { HandOnSender } from './hand-on-sender.js';
import { HandOnService } from './hand-on.service.js';
import { HandedOnController } from './handed-on.controller.js';
import { HandedOn } from './handed-on.js';
import { MoveController } from './move.controller.js';
import { MoveRepository } from './move.repository.js';
import { MoveService } from './move.service.js';
import { MovedServices } from './moved-services.js';

@Module({
  imports: [OrganizationsModule, ProjectsModule],
  controllers: [MoveController, HandedOnController],
  providers: [
    HandOnSender,
    HandOnService,
    HandedOn,
    MoveRepository,
    MoveService,
    MovedServices,
    projectRowsProvider(movedRows),
  ],
})
export class MovesModule {}
