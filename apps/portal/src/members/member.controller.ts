import {
  Caller,
  Edits,
  type Principal,
  RequireScopes,
  SearchQuery,
  ShowsEntityTag,
  TagsWithout,
} from '#libs/service-kit';
import { Body, Controller, Delete, Get, Header, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ChangeMember, InvitedMember, InviteMember, MemberPage, MemberView, SignInLinkView } from './member.dto.js';
import { MemberService } from './member.service.js';

/** What a sign-in changes. */
const derived = ['state', 'last_seen_at'];

@ApiTags('members')
@Controller('api/v1/members')
export class MemberController {
  constructor(private readonly members: MemberService) {}

  @Get()
  @RequireScopes('members:read')
  @ApiOperation({ summary: 'Members of the organization, newest first', operationId: 'listMembers' })
  @ApiOkResponse({ type: MemberPage })
  list(@Caller() caller: Principal, @Query() query: SearchQuery): Promise<MemberPage> {
    return this.members.list(caller, query);
  }

  @Post()
  @Header('cache-control', 'no-store')
  @RequireScopes('members:manage')
  @ApiOperation({
    summary: 'Invite a member: they sign in by single sign-on with this address, or with the link in the answer',
    operationId: 'inviteMember',
  })
  @ApiCreatedResponse({ type: InvitedMember })
  invite(@Caller() caller: Principal, @Body() body: InviteMember): Promise<InvitedMember> {
    return this.members.invite(caller, body);
  }

  @Get(':id')
  @ShowsEntityTag()
  @TagsWithout(...derived)
  @RequireScopes('members:read')
  @ApiOperation({ summary: 'Read a member', operationId: 'getMember' })
  @ApiOkResponse({ type: MemberView })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<MemberView> {
    return this.members.get(caller, id);
  }

  @Patch(':id')
  @Edits<MemberController>((controller, caller, id) => controller.get(caller, id))
  @TagsWithout(...derived)
  @RequireScopes('members:manage')
  @ApiOperation({
    summary:
      'Rename a member, change their role, suspend or readmit them; takes effect within 100 ms, and open streams end',
    operationId: 'changeMember',
  })
  @ApiOkResponse({ type: MemberView })
  change(@Caller() caller: Principal, @Param('id') id: string, @Body() body: ChangeMember): Promise<MemberView> {
    return this.members.change(caller, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('members:manage')
  @ApiOperation({
    summary: 'Remove a member; their sessions and the keys that they created stop working here within 100 ms',
    operationId: 'removeMember',
  })
  @ApiNoContentResponse()
  remove(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    return this.members.remove(caller, id);
  }

  @Post(':id/sign-in-link')
  @Header('cache-control', 'no-store')
  @RequireScopes('members:manage')
  @ApiOperation({
    summary: 'Create a link that signs this member in to this organization once; earlier unused links stop working',
    operationId: 'makeSignInLink',
  })
  @ApiCreatedResponse({ type: SignInLinkView })
  link(@Caller() caller: Principal, @Param('id') id: string): Promise<SignInLinkView> {
    return this.members.link(caller, id);
  }
}
