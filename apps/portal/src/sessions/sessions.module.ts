import { Module } from '@nestjs/common';
import { AuthenticationModule } from '../authentication/authentication.module.js';
import { MembersModule } from '../members/members.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { MemberSessionController } from './member-session.controller.js';
import { SessionController } from './session.controller.js';
import { SessionService } from './session.service.js';

@Module({
  imports: [AuthenticationModule, MembersModule, ProjectsModule],
  controllers: [SessionController, MemberSessionController],
  providers: [SessionService],
  exports: [SessionService],
})
export class SessionsModule {}
