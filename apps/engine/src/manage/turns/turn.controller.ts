import type { WaitHeard } from '#libs/contracts';
import { Caller, notFound, type Principal, Problem, RequireScopes, Text, Whole } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiExcludeController, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ReplyRepository } from '../replies/reply.repository.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { ToolCallRepository } from '../../path/steps/tool-call.repository.js';
import { AgentCalls } from '../../path/calls/agent-call.repository.js';
import { StepRepository } from '../../path/steps/step.repository.js';
import { EndedWaits } from '../waits/ended-waits.service.js';
import { TurnCancellation } from './turn-cancellation.service.js';
import { ToolCallList, toolCallView, TurnView, turnView } from './turn.dto.js';
import type { Turn } from '../../entities/turn.entity.js';
import { TurnRepository } from '../../path/turns/turn.repository.js';
import { type TurnRedrive, TurnRedriveService } from './turn-redrive.service.js';

class Redrive {
  @Whole(0, 1_000_000) done: number;
  /** Absent from a router of an earlier release. */
  @Text(200, { optional: true }) by?: string;
}

class WaitEnded {
  @Text(100, { minLength: 1 }) wait_id: string;
}

/** For the router: dead letters of turns, and what runs have waited for. */
@ApiExcludeController()
@Controller('internal/turns')
@RequireScopes('service')
export class InternalTurnController {
  constructor(
    private readonly redrives: TurnRedriveService,
    private readonly waits: EndedWaits,
  ) {}

  @Post(':id/wait-ended')
  @HttpCode(200)
  waitEnded(@Caller() caller: Principal, @Param('id') id: string, @Body() { wait_id }: WaitEnded): Promise<WaitHeard> {
    return this.waits.heard(caller, id, wait_id);
  }

  @Post(':id/redrive')
  @HttpCode(200)
  redrive(@Caller() caller: Principal, @Param('id') id: string, @Body() { done, by }: Redrive): Promise<TurnRedrive> {
    return this.redrives.drive(caller, id, done, by ?? null);
  }
}

@ApiTags('turns')
@Controller('api/v1/turns')
export class TurnController {
  constructor(
    private readonly turns: TurnRepository,
    private readonly steps: StepRepository,
    private readonly calls: ToolCallRepository,
    private readonly replies: ReplyRepository,
    private readonly asked: AgentCalls,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
    private readonly cancellation: TurnCancellation,
  ) {}

  @Get(':id')
  @RequireScopes('agents:read')
  @ApiOperation({ summary: 'Read a turn with its steps so far', operationId: 'getTurn' })
  @ApiOkResponse({ type: TurnView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<TurnView> {
    const turn = await this.turn(caller, id);
    const [steps, called, sent] = await Promise.all([
      this.steps.of(id),
      this.asked.of(id),
      this.replies.sentBy(caller, [turn]),
    ]);
    return turnView(turn, steps, called, sent, this.settings.TURN_WAIT_MS);
  }

  @Get(':id/tool-calls')
  @RequireScopes('agents:read')
  @ApiOperation({ summary: 'List the audited tool calls of a turn', operationId: 'listToolCalls' })
  @ApiOkResponse({ type: ToolCallList })
  async toolCalls(@Caller() caller: Principal, @Param('id') id: string): Promise<ToolCallList> {
    await this.turn(caller, id);
    return { data: (await this.calls.ofTurn(id)).map(toolCallView) };
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @RequireScopes('agents:write')
  @ApiOperation({ summary: 'Cancel a turn that has not ended; it sends no reply', operationId: 'cancelTurn' })
  @ApiOkResponse({ type: TurnView })
  async cancel(@Caller() caller: Principal, @Param('id') id: string): Promise<TurnView> {
    const turn = await this.turn(caller, id);
    if (!(await this.cancellation.cancel(turn))) {
      throw new Problem(409, 'turn_ended', `The turn has already ended: its state is ${turn.state}.`);
    }
    return this.get(caller, id);
  }

  /** @throws Problem 404 */
  private async turn(caller: Principal, id: string): Promise<Turn> {
    const turn = await this.turns.find(caller.organizationId, caller.projectId, id);
    if (!turn) throw notFound('turn', id);
    return turn;
  }
}
