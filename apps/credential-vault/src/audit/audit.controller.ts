import { Caller, idOf, notFound, pageOf, PageQuery, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { AuditRepository } from './audit.repository.js';
import { auditActions } from './credential-audit.entity.js';

export class AuditEntryView {
  @ApiProperty(idOf('aud')) id: string;
  @ApiProperty({ format: 'date-time' }) at: string;
  @ApiProperty({ description: 'key:<id> or service:<name>' }) actor: string;
  @ApiProperty({ enum: auditActions }) action: string;
  @ApiProperty({ type: [String], description: 'Names, never values' }) fields: string[];
  @ApiProperty({ type: String, nullable: true }) reason: string | null;
  @ApiProperty({ type: String, nullable: true, description: '<kind>:<id> of the consumer' }) consumer: string | null;
  @ApiProperty({
    type: 'integer',
    description: 'Equal uses within some minutes are two entries: the first one, and the number of later ones',
  })
  times: number;
}

export class AuditPage {
  @ApiProperty({ type: [AuditEntryView] }) data: AuditEntryView[];
  @ApiProperty({ type: String, nullable: true }) next_cursor: string | null;
}

@ApiTags('credentials')
@Controller('api/v1/credentials/:id/audit')
export class AuditController {
  constructor(private readonly audit: AuditRepository) {}

  /** Also for a deleted credential: the deletion is among the entries. */
  @Get()
  @RequireScopes('credentials:read')
  @ApiOperation({ summary: 'Who did what with a credential', operationId: 'listCredentialAudit' })
  @ApiOkResponse({ type: AuditPage })
  async list(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() { limit, cursor }: PageQuery,
  ): Promise<AuditPage> {
    const rows = await this.audit.list(caller, id, limit + 1, cursor);
    // Creation is an entry too, so a credential without entries never existed in this project.
    if (rows.length === 0 && !(await this.audit.knows(caller, id))) throw notFound('credential', id);
    const page = pageOf(rows, limit, (row) => row.id);
    return {
      data: page.data.map(({ id: entry, at, actor, action, fields, reason, consumer, times }) => ({
        id: entry,
        at: at.toISOString(),
        actor,
        action,
        fields,
        reason,
        consumer,
        times,
      })),
      next_cursor: page.next_cursor,
    };
  }
}
