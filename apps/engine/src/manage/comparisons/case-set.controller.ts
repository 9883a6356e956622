import { askerOf, Caller, notFound, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AgentService } from '../agents/agent.service.js';
import { requireValidRules } from './answer-rule.dto.js';
import { CaseSetDetailView, CaseSetList, caseSetView, CaseSetView, NewCaseSetBody } from './case-set.dto.js';
import { CaseSetRepository } from './case-set.repository.js';
import { CaseSources } from './case-sources.service.js';
import { TurnInputs } from '../turns/turn-inputs.service.js';

@ApiTags('agents')
@Controller('api/v1/agents/:id/case-sets')
export class CaseSetController {
  constructor(
    private readonly agents: AgentService,
    private readonly sources: CaseSources,
    private readonly sets: CaseSetRepository,
    private readonly inputs: TurnInputs,
  ) {}

  @Post()
  @RequireScopes('agents:write', 'events:read')
  @ApiOperation({
    operationId: 'createCaseSet',
    summary: 'Keep turns of an agent under a name, to compare versions on',
  })
  @ApiCreatedResponse({ type: CaseSetView })
  async create(
    @Caller() caller: Principal,
    @Param('id') agentId: string,
    @Body() { name, rules = [], ...named }: NewCaseSetBody,
  ): Promise<CaseSetView> {
    const agent = await this.agents.get(caller, agentId);
    requireValidRules(rules);
    const { turnIds } = await this.sources.of(caller, agent, named);
    const fields = { name, turn_ids: turnIds, rules, made_by: askerOf(caller) };
    return caseSetView(await this.sets.create(agent, fields));
  }

  @Get()
  @RequireScopes('agents:read')
  @ApiOperation({ operationId: 'listCaseSets', summary: 'Sets of cases of an agent, by name' })
  @ApiOkResponse({ type: CaseSetList })
  async list(@Caller() caller: Principal, @Param('id') agentId: string): Promise<CaseSetList> {
    const sets = await this.sets.all(await this.agents.get(caller, agentId));
    return { data: sets.map(caseSetView) };
  }

  @Get(':set')
  @RequireScopes('agents:read', 'events:read')
  @ApiOperation({ operationId: 'getCaseSet', summary: 'Read a set of cases with its messages' })
  @ApiOkResponse({ type: CaseSetDetailView })
  async get(
    @Caller() caller: Principal,
    @Param('id') agentId: string,
    @Param('set') id: string,
  ): Promise<CaseSetDetailView> {
    const set = await this.sets.find(await this.agents.get(caller, agentId), id);
    if (!set) throw notFound('set', id);
    return { ...caseSetView(set), turns: await this.inputs.withTexts(caller, await this.sets.casesOf(set)) };
  }

  @Delete(':set')
  @HttpCode(204)
  @RequireScopes('agents:write')
  @ApiOperation({ operationId: 'deleteCaseSet', summary: 'Delete a set of cases; its turns stay' })
  @ApiNoContentResponse()
  async delete(@Caller() caller: Principal, @Param('id') agentId: string, @Param('set') id: string): Promise<void> {
    await this.sets.delete(await this.agents.get(caller, agentId), id);
  }
}
