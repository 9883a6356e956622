import { Caller, IdempotencyKey, type Principal, RequireScopes, TakesIdempotencyKey } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { PreviewStreams } from '../previews/preview-streams.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { NewTrialMessage, trialTurn, TrialTurnView, TrialView, trialView } from './trial.dto.js';
import { TrialService } from './trial.service.js';

@ApiTags('agents')
@Controller('api/v1/agents/:id/trials')
export class TrialController {
  constructor(
    private readonly trials: TrialService,
    private readonly streams: PreviewStreams,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  @Post()
  @RequireScopes('agents:write')
  @ApiOperation({ operationId: 'beginTrial', summary: 'Begin a conversation that tries an agent; nothing is sent' })
  @ApiCreatedResponse({ type: TrialView })
  async begin(@Caller() caller: Principal, @Param('id') agentId: string): Promise<TrialView> {
    return trialView(await this.trials.begin(caller, agentId), [], this.settings.TURN_WAIT_MS);
  }

  @Get(':trial')
  @RequireScopes('agents:read')
  @ApiOperation({ operationId: 'getTrial', summary: 'Read a conversation that tries an agent' })
  @ApiOkResponse({ type: TrialView })
  async get(@Caller() caller: Principal, @Param('id') agentId: string, @Param('trial') id: string): Promise<TrialView> {
    const trial = await this.trials.get(caller, agentId, id);
    return trialView(trial, await this.trials.turns(trial), this.settings.TURN_WAIT_MS);
  }

  @Post(':trial/messages')
  @HttpCode(202)
  @RequireScopes('agents:write')
  @TakesIdempotencyKey('The same key gives the same turn')
  @ApiOperation({
    operationId: 'askInTrial',
    summary: 'Ask a version of the agent, or instructions that are not saved',
  })
  @ApiAcceptedResponse({ type: TrialTurnView })
  async ask(
    @Caller() caller: Principal,
    @Param('id') agentId: string,
    @Param('trial') id: string,
    @Body() body: NewTrialMessage,
    @IdempotencyKey() key: string | null,
  ): Promise<TrialTurnView> {
    return trialTurn(await this.trials.ask(caller, { agentId, id }, body, key), this.settings.TURN_WAIT_MS);
  }

  @Get(':trial/stream')
  @RequireScopes('agents:read')
  @ApiProduces('text/event-stream')
  @ApiOkResponse({ schema: { type: 'string' }, description: 'Server-sent events as those of a session' })
  @ApiOperation({ operationId: 'streamTrial', summary: 'Stream what the agent writes, as it writes' })
  async stream(
    @Caller() caller: Principal,
    @Param('id') agentId: string,
    @Param('trial') id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.trials.get(caller, agentId, id);
    this.streams.requireRoom(caller.projectId);
    reply.hijack();
    this.streams.serve(caller.projectId, id, reply.raw);
  }
}
