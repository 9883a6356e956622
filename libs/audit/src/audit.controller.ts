import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AuditLog } from './audit-log.repository.js';
import { AuditQuery } from './audit-query.js';
import type { AuditRecord } from './audit.entity.js';

/** For the portal, which joins the logs of all services: one row more than a page, so that it knows whether there are more. */
@ApiExcludeController()
@Controller('internal/audit')
@RequireScopes('service')
export class AuditController {
  constructor(private readonly audit: AuditLog) {}

  @Get()
  async list(@Caller() caller: Principal, @Query() query: AuditQuery): Promise<{ data: AuditRecord[] }> {
    return { data: await this.audit.list(caller, query.limit + 1, query) };
  }
}
