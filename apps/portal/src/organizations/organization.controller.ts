import { Caller, idOf, notFound, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { OrganizationRepository } from './organization.repository.js';

export class OrganizationView {
  @ApiProperty(idOf('org')) id: string;
  @ApiProperty() name: string;
  @ApiProperty({ format: 'date-time' }) created_at: string;
}

@ApiTags('organizations')
@Controller('api/v1/organizations')
export class OrganizationController {
  constructor(@Inject(OrganizationRepository) private readonly organizations: OrganizationRepository) {}

  @Get('current')
  @RequireScopes()
  @ApiOperation({ summary: 'The organization the key belongs to', operationId: 'getCurrentOrganization' })
  @ApiOkResponse({ type: OrganizationView })
  async current(@Caller() caller: Principal): Promise<OrganizationView> {
    const row = await this.organizations.find(caller.organizationId);
    if (!row) throw notFound('organization', caller.organizationId);
    return { id: row.id, name: row.name, created_at: row.created_at.toISOString() };
  }
}
