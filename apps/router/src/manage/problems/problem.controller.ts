import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Mute, ProblemList, ProblemQuery, ProblemView } from './problem.dto.js';
import { ProblemService } from './problem.service.js';

@ApiTags('problems')
@Controller('api/v1/problems')
export class ProblemController {
  constructor(private readonly problems: ProblemService) {}

  @Get()
  @RequireScopes('events:read')
  @ApiOperation({ operationId: 'listProblems', summary: 'What failed, by cause: App, stage and reason' })
  @ApiOkResponse({ type: ProblemList })
  list(@Caller() caller: Principal, @Query() { state }: ProblemQuery): Promise<ProblemList> {
    return this.problems.list(caller, state ?? null);
  }

  @Post(':id/mute')
  @HttpCode(200)
  @RequireScopes('events:write')
  @ApiOperation({ operationId: 'muteProblem', summary: 'Keep a problem out of what needs attention, for a time' })
  @ApiOkResponse({ type: ProblemView })
  mute(@Caller() caller: Principal, @Param('id') id: string, @Body() { hours }: Mute): Promise<ProblemView> {
    return this.problems.mute(caller, id, hours ?? null);
  }

  @Post(':id/resolve')
  @HttpCode(200)
  @RequireScopes('events:write')
  @ApiOperation({ operationId: 'resolveProblem', summary: 'Mark a problem as resolved, until its cause comes again' })
  @ApiOkResponse({ type: ProblemView })
  resolve(@Caller() caller: Principal, @Param('id') id: string): Promise<ProblemView> {
    return this.problems.resolve(caller, id);
  }

  @Post(':id/reopen')
  @HttpCode(200)
  @RequireScopes('events:write')
  @ApiOperation({ operationId: 'reopenProblem', summary: 'Take back that a problem is muted or resolved' })
  @ApiOkResponse({ type: ProblemView })
  reopen(@Caller() caller: Principal, @Param('id') id: string): Promise<ProblemView> {
    return this.problems.reopen(caller, id);
  }
}
