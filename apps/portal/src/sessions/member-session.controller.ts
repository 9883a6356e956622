import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { MemberOrKey } from '../authentication/request-member.js';
import type { MemberRequest } from '../authentication/session-authenticator.js';
import { MemberSessionPage, MemberSessionQuery } from './session.dto.js';
import { SessionService } from './session.service.js';

@ApiTags('member-sessions')
@Controller('api/v1/member-sessions')
export class MemberSessionController {
  constructor(private readonly sessions: SessionService) {}

  @Get()
  @RequireScopes()
  @ApiOperation({ summary: 'Sessions of a member, newest first', operationId: 'listMemberSessions' })
  @ApiOkResponse({ type: MemberSessionPage })
  list(
    @Caller() caller: Principal,
    @Query() query: MemberSessionQuery,
    @MemberOrKey() member: MemberRequest | null,
  ): Promise<MemberSessionPage> {
    return this.sessions.list(caller, query, member?.session.id ?? null);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes()
  @ApiOperation({
    summary: 'End a session within 100 ms; sessions of others need members:manage',
    operationId: 'endMemberSession',
  })
  @ApiNoContentResponse()
  end(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    return this.sessions.revoke(caller, id);
  }
}
