import { Module } from '@nestjs/common';
import { MembersModule } from '../members/members.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { MemberSessionController } from './member-session.controller.js';
import { MemberSessionRepository } from './member-session.repository.js';
import { SessionController } from './session.controller.js';
import { SessionService } from './session.service.js';

@Module({
  imports: [MembersModule, ProjectsModule],
  controllers: [SessionController, MemberSessionController],
  providers: [MemberSessionRepository, SessionService],
  exports: [MemberSessionRepository, SessionService],
})
export class SessionsModule {}
