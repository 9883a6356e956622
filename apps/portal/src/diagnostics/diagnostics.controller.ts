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
    summary: 'How each service finds its stores, clock, migrations, egress and signatures, and what to do',
    description: 'Of the whole installation, but for the adapters: those of the project. Asks now.',
  })
  @ApiOkResponse({ type: DiagnosticsView })
  diagnose(@Caller() caller: Principal): Promise<DiagnosticsView> {
    return this.diagnostics.read(caller);
  }
}
