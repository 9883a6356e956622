import { AuditQuery } from '#libs/audit';
import { SaysBehind } from '#libs/list-reads';
import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AuditLogPage } from './audit.dto.js';
import { AuditTrail } from './audit-trail.js';

@ApiTags('audit')
@Controller('api/v1/audit')
export class AuditLogController {
  constructor(private readonly trail: AuditTrail) {}

  @Get()
  @RequireScopes('audit:read')
  @ApiOperation({
    operationId: 'listAudit',
    summary: 'Audit log: changes of what agents may do, decisions on calls, created and revoked keys; never deleted',
  })
  @ApiOkResponse({ type: AuditLogPage })
  @SaysBehind()
  list(@Caller() caller: Principal, @Query() query: AuditQuery): Promise<AuditLogPage> {
    return this.trail.page(caller, query);
  }
}
