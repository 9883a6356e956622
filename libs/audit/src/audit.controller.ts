import { type Behind, ListReads, withBehind } from '#libs/list-reads';
import { Caller, OneOf, OrderedQuery, type Principal, RequireScopes, Text } from '#libs/service-kit';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AuditLog } from './audit-log.repository.js';
import { type AuditAction, auditActions, type AuditRecord } from './audit.entity.js';

/** The query of an audit log: a page, and filters for its entries. */
export class AuditQuery extends OrderedQuery {
  @OneOf(auditActions, { optional: true, description: 'What was done' }) action?: AuditAction;
  @Text(200, { optional: true, description: 'Who did it: user:<id>, key:<id> or contact:<id>' }) actor?: string;
  @Text(200, { optional: true, description: 'Id of what was changed' }) subject?: string;
  @Text(40, { optional: true, description: 'Made before this time (RFC 3339)' }) before?: string;
}

/**
 * For the portal, which joins all services' logs: one row more than a page, so that it knows whether there are more.
 */
@ApiExcludeController()
@Controller('internal/audit')
@RequireScopes('service')
export class AuditController {
  constructor(
    private readonly audit: AuditLog,
    private readonly reads: ListReads,
  ) {}

  @Get()
  async list(@Caller() caller: Principal, @Query() query: AuditQuery): Promise<{ data: AuditRecord[] } & Behind> {
    const { value, behindMs } = await this.reads.read('audit', caller, (db) =>
      this.audit.list(caller, query.limit + 1, query, db),
    );
    return withBehind({ value: { data: value }, behindMs });
  }
}
