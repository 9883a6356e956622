import { Module } from '@nestjs/common';
import { MemberController } from './member.controller.js';
import { MemberRepository } from './member.repository.js';
import { MemberService } from './member.service.js';
import { RoleController } from './role.controller.js';
import { SignInLinkRepository } from './sign-in-link.repository.js';

@Module({
  controllers: [MemberController, RoleController],
  providers: [MemberRepository, MemberService, SignInLinkRepository],
  exports: [MemberRepository, SignInLinkRepository],
})
export class MembersModule {}
