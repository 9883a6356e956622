import { Caller, pageOf, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { OpenCallPage, OpenCallQuery, openCallView } from './open-call.dto.js';
import { OpenCallRepository } from './open-call.repository.js';

@ApiTags('open-calls')
@Controller('api/v1/open-calls')
export class OpenCallController {
  constructor(private readonly calls: OpenCallRepository) {}

  @Get()
  @RequireScopes('agents:read')
  @ApiOperation({
    operationId: 'listOpenCalls',
    summary: 'Calls of MCP tools that wait for a contact or for a task of their server, newest first',
  })
  @ApiOkResponse({ type: OpenCallPage })
  async list(
    @Caller() caller: Principal,
    @Query() { limit, cursor, server_id: serverId }: OpenCallQuery,
  ): Promise<OpenCallPage> {
    const rows = await this.calls.list(caller, {
      serverId: serverId ?? null,
      cursor: cursor ?? null,
      limit: limit + 1,
    });
    const page = pageOf(rows, limit, ({ id }) => id);
    return { data: page.data.map(openCallView), next_cursor: page.next_cursor };
  }
}
