import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DiagnosticsView } from './diagnostics.dto.js';
import { DiagnosticsService } from './diagnostics.service.js';

@ApiTags('diagnostics')
@Controller('api/v1/diagnostics')
export class DiagnosticsController {
  constructor(private readonly diagnostics: DiagnosticsService) {}

  @Get()
  @RequireScopes('admin')
  @ApiOperation({
    operationId: 'diagnose',
    summary: 'Findings of each service about its stores, clock, migrations, egress and signatures, with what to do',
    description: 'Covers the whole installation; of adapters only those of the project. Runs the checks now.',
  })
  @ApiOkResponse({ type: DiagnosticsView })
  diagnose(@Caller() caller: Principal): Promise<DiagnosticsView> {
    return this.diagnostics.read(caller);
  }
}
