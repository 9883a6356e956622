import type { AgentRequest, AgentRequested } from '#libs/contracts';
import { Caller, OneOf, type Principal, RequireScopes, Text } from '#libs/service-kit';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { WholeTurn } from '../../path/handover/turn-handover.service.js';
import { AgentRequests } from './agent-request.service.js';

class NewAgentRequest implements AgentRequest {
  @Text(100) agent_id: string;
  @Text(200, { minLength: 1 }) caller: string;
  @Text(200, { minLength: 1 }) started_by: string;
  @Text(1_000_000) text: string;
  @Text(200, { minLength: 1 }) message_id: string;
  @Text(200, { minLength: 1 }) context_id: string;
  @OneOf(['a2a', 'mcp']) protocol: AgentRequest['protocol'];
}

/** For the engine, which others ask for its agents. */
@ApiExcludeController()
@Controller('internal/agent-requests')
@RequireScopes('service')
export class AgentRequestController {
  constructor(private readonly requests: AgentRequests) {}

  /** Answered once it is on disk; asked again with the same message, it answers the same. */
  @Post()
  @HttpCode(200)
  take(@Caller() caller: Principal, @Body() asked: NewAgentRequest): Promise<AgentRequested<WholeTurn>> {
    return this.requests.take(caller, asked);
  }
}
