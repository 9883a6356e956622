import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Inject, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ReplyRepository } from '../replies/reply.repository.js';
import { type EngineSettings, SETTINGS } from '../settings.js';
import { type TurnHead, turnHead } from './turn.dto.js';
import { TurnRepository } from './turn.repository.js';

/** For the router: what the turns of a run gave, and how their replies fare. */
@ApiExcludeController()
@Controller('internal/runs')
@RequireScopes('service')
export class RunTurnsController {
  constructor(
    @Inject(TurnRepository) private readonly turns: TurnRepository,
    @Inject(ReplyRepository) private readonly replies: ReplyRepository,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** Oldest first; none where the engine has taken none. */
  @Get(':id/turns')
  async ofRun(@Caller() caller: Principal, @Param('id') id: string): Promise<{ turns: TurnHead[] }> {
    const turns = await this.turns.ofRun(caller.organizationId, caller.projectId, id);
    const sent = await this.replies.sentBy(caller, turns);
    return { turns: turns.map((turn) => turnHead(turn, sent, this.settings.TURN_WAIT_MS)) };
  }
}
