import { Database } from '#libs/database';
import {
  Caller,
  Edits,
  IdempotencyKey,
  JsonObject,
  keyed,
  Name,
  notFound,
  once,
  OneOf,
  type Principal,
  RequireScopes,
  RowNumberPipe,
  ShowsEntityTag,
  TakesIdempotencyKey,
  Text,
} from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NamedAgents } from '../agents/named-agents.js';
import { EngineRuns } from '../../path/handover/engine-runs.js';
import { ProjectRules } from '../../path/rules/project-rules.js';
import { discardDebounced } from '../../path/routing/debounce-sweeper.js';
import type { WorkflowStatus } from '../../entities/rules.entity.js';
import { requireOutputSchema } from './output-schema.js';
import { WorkflowRepository } from './workflow.repository.js';
import { DiscardedView, WorkflowPage, WorkflowView } from './workflow.dto.js';

class NewWorkflow {
  @Name(200) name: string;
  @Text(100, {
    optional: true,
    nullable: true,
    description: "The agent that runs it; default: the project's Chief of Staff",
  })
  agent_id?: string | null;
  @Text(20_000, { optional: true, description: 'Instructions to the agent for each message' }) instructions?: string;
  @JsonObject({
    optional: true,
    nullable: true,
    description: 'JSON Schema, an object, that the output of its runs holds to; default: they have none',
  })
  output_schema?: Record<string, unknown> | null;
}

class WorkflowChange {
  @Name(200, { optional: true }) name?: string;
  @Text(100, { optional: true, nullable: true }) agent_id?: string | null;
  @Text(20_000, { optional: true }) instructions?: string;
  @JsonObject({ optional: true, nullable: true }) output_schema?: Record<string, unknown> | null;
  @OneOf(['active', 'suspended', 'off'], { optional: true, description: 'Runs of a suspended workflow wait' })
  status?: WorkflowStatus;
}

const workflowNumber = new RowNumberPipe('workflow');

@ApiTags('workflows')
@Controller()
export class WorkflowController {
  constructor(
    private readonly workflows: WorkflowRepository,
    private readonly rules: ProjectRules,
    private readonly runs: EngineRuns,
    private readonly db: Database,
    private readonly agents: NamedAgents,
  ) {}

  @Post('api/v1/workflows')
  @RequireScopes('workflows:write')
  @ApiOperation({ operationId: 'createWorkflow', summary: 'Create a workflow; its id is an integer of the project' })
  @ApiCreatedResponse({ type: WorkflowView })
  async create(@Caller() caller: Principal, @Body() body: NewWorkflow): Promise<WorkflowView> {
    await this.agents.require(caller, body.agent_id);
    requireOutputSchema(body.output_schema);
    const now = new Date();
    const row = await this.workflows.insert({
      project_id: caller.projectId,
      organization_id: caller.organizationId,
      name: body.name,
      agent_id: body.agent_id ?? null,
      instructions: body.instructions ?? '',
      output_schema: body.output_schema ?? null,
      status: 'active',
      created_at: now,
      updated_at: now,
    });
    this.rules.forget(caller.projectId);
    return row;
  }

  @Get('api/v1/workflows')
  @RequireScopes('workflows:read')
  @ApiOperation({ operationId: 'listWorkflows', summary: 'Workflows of the project' })
  @ApiOkResponse({ type: WorkflowPage })
  async list(@Caller() caller: Principal): Promise<WorkflowPage> {
    return { data: await this.workflows.allOf(caller.projectId), next_cursor: null };
  }

  @Get('api/v1/workflows/:id')
  @ShowsEntityTag()
  @RequireScopes('workflows:read')
  @ApiOperation({ operationId: 'getWorkflow', summary: 'One workflow' })
  @ApiOkResponse({ type: WorkflowView })
  async get(@Caller() caller: Principal, @Param('id', workflowNumber) id: number): Promise<WorkflowView> {
    const row = await this.workflows.find(caller.projectId, id);
    if (!row || row.organization_id !== caller.organizationId) throw notFound('workflow', id);
    return row;
  }

  @Patch('api/v1/workflows/:id')
  @Edits<WorkflowController>((controller, caller, id) => controller.get(caller, workflowNumber.transform(id)))
  @RequireScopes('workflows:write')
  @ApiOperation({
    operationId: 'changeWorkflow',
    summary: 'Change a workflow; making it active releases its waiting runs',
  })
  @ApiOkResponse({ type: WorkflowView })
  async change(
    @Caller() caller: Principal,
    @Param('id', workflowNumber) id: number,
    @Body() body: WorkflowChange,
  ): Promise<WorkflowView> {
    await this.get(caller, id);
    await this.agents.require(caller, body.agent_id);
    requireOutputSchema(body.output_schema);
    const now = new Date();
    await this.workflows.update(caller.projectId, id, { ...body, updated_at: now });
    this.rules.forget(caller.projectId);
    if (body.status === 'active') await this.runs.release(caller, id, now);
    return this.get(caller, id);
  }

  @Post('api/v1/workflows/:id/discard')
  @HttpCode(200)
  @RequireScopes('workflows:write')
  @TakesIdempotencyKey('The same key returns the same answer')
  @ApiOperation({ operationId: 'discardRuns', summary: 'Cancel the runs that wait for a suspended workflow' })
  @ApiOkResponse({ type: DiscardedView })
  async discard(
    @Caller() caller: Principal,
    @Param('id', workflowNumber) id: number,
    @IdempotencyKey() key: string | null,
  ): Promise<DiscardedView> {
    await this.get(caller, id);
    return this.db.transaction((tx) =>
      once(tx, 'router', keyed(caller, key, `discard ${id}`), async () => {
        await discardDebounced(tx, caller.projectId, id);
        return { discarded: await this.runs.discard(caller, id, new Date()) };
      }),
    );
  }

  /** Whether a workflow exists, for the ingress. */
  @Get('internal/workflows/:id')
  @RequireScopes('service')
  @ApiExcludeEndpoint()
  async exists(@Caller() caller: Principal, @Param('id', workflowNumber) id: number): Promise<{ id: number }> {
    const workflow = (await this.rules.of(caller.projectId, [id])).workflows.get(id);
    if (workflow?.organization_id !== caller.organizationId) throw notFound('workflow', id);
    return { id };
  }
}
