import {
  Caller,
  idOf,
  notFound,
  PageOf,
  pageOf,
  PageQuery,
  type Principal,
  Problem,
  RequireScopes,
} from '#libs/service-kit';
import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { MemberOrKey } from '../authentication/request-member.js';
import type { MemberRequest } from '../authentication/session-authenticator.js';
import { Named } from '../projects/project.dto.js';
import type { Organization } from './organization.entity.js';
import { OrganizationRepository } from './organization.repository.js';

class OrganizationView {
  @ApiProperty(idOf('org')) id: string;
  @ApiProperty() name: string;
  @ApiProperty({ format: 'date-time' }) created_at: string;
}

class OrganizationPage extends PageOf(OrganizationView) {}

@ApiTags('organizations')
@Controller('api/v1/organizations')
export class OrganizationController {
  constructor(private readonly organizations: OrganizationRepository) {}

  @Get('current')
  @RequireScopes()
  @ApiOperation({
    summary: 'The organization to which the key belongs, or in which the member works',
    operationId: 'getCurrentOrganization',
  })
  @ApiOkResponse({ type: OrganizationView })
  async current(@Caller() caller: Principal): Promise<OrganizationView> {
    return viewOf(caller.organizationId, await this.organizations.find(caller.organizationId));
  }

  @Get()
  @RequireScopes()
  @ApiOperation({
    summary: 'Organizations to which the caller has access, oldest first',
    operationId: 'listOrganizations',
  })
  @ApiOkResponse({ type: OrganizationPage })
  async list(
    @Caller() caller: Principal,
    @MemberOrKey() member: MemberRequest | null,
    @Query() { limit, cursor }: PageQuery,
  ): Promise<OrganizationPage> {
    const reached = member?.session.memberships.map(({ organization_id }) => organization_id);
    const rows = await this.organizations.list(reached ?? [caller.organizationId], limit + 1, cursor);
    const page = pageOf(rows, limit, ({ id }) => id);
    return { data: page.data.map(view), next_cursor: page.next_cursor };
  }

  @Post()
  @RequireScopes('organizations:write')
  @ApiOperation({
    summary: 'Create an organization with a first project; the calling member becomes its owner',
    operationId: 'createOrganization',
  })
  @ApiCreatedResponse({ type: OrganizationView })
  async create(
    @Caller() caller: Principal,
    @MemberOrKey() member: MemberRequest | null,
    @Body() { name }: Named,
  ): Promise<OrganizationView> {
    if (!member)
      throw new Problem(403, 'member_required', 'An organization needs an owner: only a member can create one.');
    const { session } = member;
    if (session.organization_id !== null) {
      const detail =
        'This session was started by a link of one organization and is limited to it: sign in another way.';
      throw new Problem(403, 'session_limited', detail);
    }
    const current = session.memberships.find(({ organization_id }) => organization_id === caller.organizationId);
    const owner = { id: session.user_id, name: current?.name ?? session.email ?? 'Owner' };
    return view(await this.organizations.create(caller, owner, name));
  }

  @Patch(':id')
  @RequireScopes('organizations:write')
  @ApiOperation({ summary: 'Rename the organization in which the caller works', operationId: 'renameOrganization' })
  @ApiOkResponse({ type: OrganizationView })
  async rename(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() { name }: Named,
  ): Promise<OrganizationView> {
    return viewOf(id, id === caller.organizationId ? await this.organizations.rename(caller, name) : null);
  }
}

function viewOf(id: string, organization: Organization | null): OrganizationView {
  if (!organization) throw notFound('organization', id);
  return view(organization);
}

function view({ id, name, created_at }: Organization): OrganizationView {
  return { id, name, created_at: created_at.toISOString() };
}
