import { Module } from '@nestjs/common';
import { AuthenticationModule } from '../authentication/authentication.module.js';
import { MembersModule } from '../members/members.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SignInAttempts } from './sign-in-attempts.js';
import { SignInController } from './sign-in.controller.js';
import { SignInService } from './sign-in.service.js';
import { Issuer } from './single-sign-on/issuer.js';
import { SingleSignOnController } from './single-sign-on/single-sign-on.controller.js';
import { SingleSignOnRepository } from './single-sign-on/single-sign-on.repository.js';
import { SingleSignOnService } from './single-sign-on/single-sign-on.service.js';
import { StartedSessionRepository } from './started-session.repository.js';

@Module({
  imports: [AuthenticationModule, MembersModule, SessionsModule],
  controllers: [SignInController, SingleSignOnController],
  providers: [
    Issuer,
    SignInAttempts,
    SignInService,
    SingleSignOnRepository,
    SingleSignOnService,
    StartedSessionRepository,
  ],
})
export class SignInModule {}
