import { RequireScopes } from '#libs/service-kit';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RoleView } from './member.dto.js';
import { describedRoles } from '../api-keys/roles.js';

@ApiTags('roles')
@Controller('api/v1/roles')
export class RoleController {
  @Get()
  @RequireScopes()
  @ApiOperation({ summary: 'Roles of members, and what each may do', operationId: 'listRoles' })
  @ApiOkResponse({ type: [RoleView] })
  list(): RoleView[] {
    return describedRoles();
  }
}
