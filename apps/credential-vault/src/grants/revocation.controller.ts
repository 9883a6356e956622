import { Caller, idOf, pageOf, PageQuery, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { type Revocation, leaveReasons } from './revocation.entity.js';
import { RevocationRepository } from './revocation.repository.js';

class RevocationView {
  @ApiProperty(idOf('rvk')) id: string;
  @ApiProperty({ ...idOf('cred'), description: 'May be deleted' }) credential_id: string;
  @ApiProperty() provider: string;
  @ApiProperty({ enum: leaveReasons }) reason: string;
  @ApiProperty({ enum: ['waiting', 'gave_up'] }) state: string;
  @ApiProperty({ type: 'integer' }) attempts: number;
  @ApiProperty({ type: String, nullable: true, description: 'Code of the last failure' }) last_error: string | null;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' }) next_try_at: string | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
}

class RevocationPage {
  @ApiProperty({ type: [RevocationView] }) data: RevocationView[];
  @ApiProperty({ type: String, nullable: true }) next_cursor: string | null;
}

/** Tokens whose revocation is pending at the provider, or has failed. */
@ApiTags('credentials')
@Controller('api/v1/credentials/revocations')
export class RevocationController {
  constructor(private readonly revocations: RevocationRepository) {}

  @Get()
  @RequireScopes('credentials:read')
  @ApiOperation({
    summary: 'Deleted tokens that still have to be revoked at their provider',
    operationId: 'listRevocations',
  })
  @ApiOkResponse({ type: RevocationPage })
  async list(@Caller() caller: Principal, @Query() { limit, cursor }: PageQuery): Promise<RevocationPage> {
    const page = pageOf(await this.revocations.list(caller, limit + 1, cursor), limit, (row) => row.id);
    return { data: page.data.map(viewOf), next_cursor: page.next_cursor };
  }
}

function viewOf(row: Revocation): RevocationView {
  const { id, credential_id, cause, tries, reason } = row;
  const gaveUp = row.state === 'dead';
  return {
    id,
    credential_id,
    provider: row.provider.slug,
    reason: cause,
    attempts: tries,
    last_error: reason,
    state: gaveUp ? 'gave_up' : 'waiting',
    next_try_at: gaveUp ? null : row.due_at.toISOString(),
    created_at: row.created_at.toISOString(),
  };
}
