import { Caller, notFound, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Inject, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { StepRepository } from './step.repository.js';
import { TurnView, turnView } from './turn.dto.js';
import { TurnRepository } from './turn.repository.js';

@ApiTags('turns')
@Controller('api/v1/turns')
export class TurnController {
  constructor(
    @Inject(TurnRepository) private readonly turns: TurnRepository,
    @Inject(StepRepository) private readonly steps: StepRepository,
  ) {}

  @Get(':id')
  @RequireScopes('agents:read')
  @ApiOperation({ summary: 'Read a turn with its steps', operationId: 'getTurn' })
  @ApiOkResponse({ type: TurnView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<TurnView> {
    const turn = await this.turns.find(caller.organizationId, caller.projectId, id);
    if (!turn) throw notFound('turn', id);
    return turnView(turn, await this.steps.of(id));
  }
}
