import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Caller, type Principal, RequireScopes } from '../principal.js';
import { Diagnoser } from './diagnoser.js';
import type { Diagnosis } from './finding.js';

/** For the portal, which joins the reports of all services. */
@ApiExcludeController()
@Controller('internal/diagnosis')
@RequireScopes('service')
export class DiagnosisController {
  constructor(private readonly diagnoser: Diagnoser) {}

  @Get()
  get(@Caller() caller: Principal): Promise<Diagnosis> {
    return this.diagnoser.diagnose(caller);
  }
}
