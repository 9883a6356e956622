import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { TryAnswer, TryTool } from '../tools/tool.dto.js';
import { ToolTryService } from './tool-try.service.js';

@ApiTags('tools')
@Controller('api/v1/tools')
export class ToolTryController {
  constructor(private readonly tries: ToolTryService) {}

  @Post(':id/try')
  @HttpCode(200)
  @RequireScopes('tools:write')
  @ApiOperation({ operationId: 'tryTool', summary: 'Try a tool: call an MCP or Python tool by hand' })
  @ApiOkResponse({ type: TryAnswer })
  try(@Caller() caller: Principal, @Param('id') id: string, @Body() body: TryTool): Promise<TryAnswer> {
    return this.tries.run(caller, id, body);
  }
}
