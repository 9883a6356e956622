import type { TurnInput } from '#libs/contracts';
import { Caller, notFound, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Inject, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { TurnRepository } from './turn.repository.js';

@ApiExcludeController()
@Controller('internal/turns')
@RequireScopes('service')
export class TurnsController {
  constructor(@Inject(TurnRepository) private readonly turns: TurnRepository) {}

  /** The input of a turn that was too large for its job. */
  @Get(':id')
  async input(@Caller() caller: Principal, @Param('id') id: string): Promise<{ input: TurnInput }> {
    const turn = await this.turns.find(caller.organizationId, caller.projectId, id);
    if (!turn) throw notFound('turn', id);
    return { input: turn.input };
  }
}
