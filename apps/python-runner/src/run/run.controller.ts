import type { PythonRunAnswer } from '#libs/contracts';
import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Header, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { onlyFor } from '../called-by.js';
import { RunTool } from './run.dto.js';
import { RunService } from './run.service.js';

@ApiTags('internal')
@Controller('internal/run')
@RequireScopes('service')
export class RunController {
  constructor(private readonly runner: RunService) {}

  @Post()
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'Run one call of a Python tool', operationId: 'run' })
  run(@Caller() caller: Principal, @Body() body: RunTool): Promise<PythonRunAnswer> {
    onlyFor(caller, 'engine');
    return this.runner.run(caller, body);
  }
}
