import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, HttpCode, Put } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ProjectLimitsDto } from './limits.dto.js';
import { ProjectLimits } from './project-limits.repository.js';

/** Receives the limits of the caller's project: the portal, which owns them, sends them before it commits them. */
@ApiExcludeController()
@Controller('internal/project')
@RequireScopes('service')
export class ProjectLimitsController {
  constructor(private readonly limits: ProjectLimits) {}

  @Put('limits')
  @HttpCode(204)
  set(@Caller() caller: Principal, @Body() limits: ProjectLimitsDto): Promise<void> {
    return this.limits.set(caller.organizationId, caller.projectId, limits);
  }
}
