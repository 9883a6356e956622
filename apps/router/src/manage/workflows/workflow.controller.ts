import { Database } from '#libs/database';
import {
  Caller,
  Edits,
  IdempotencyKey,
  JsonObject,
  keyed,
  Name,
  NestedList,
  notFound,
  once,
  OneOf,
  type Principal,
  RequireScopes,
  ShowsEntityTag,
  TakesIdempotencyKey,
  Text,
} from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { EngineRuns } from '../../path/handover/engine-runs.js';
import { ProjectRules } from '../../path/rules/project-rules.js';
import { discardDebounced } from '../../path/routing/debounce-sweeper.js';
import type { WorkflowStatus } from '../../entities/rules.entity.js';
import { workflowNumber, WorkflowService } from './workflow.service.js';
import { WorkflowStepFields } from './workflow-step.dto.js';
import { maxSteps } from './workflow-steps.js';
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
  @NestedList(WorkflowStepFields, maxSteps, {
    optional: true,
    nullable: true,
    description: 'What its runs do, in this order; default: the agent works on the message, and nothing else',
  })
  steps?: WorkflowStepFields[] | null;
}

class WorkflowChange {
  @Name(200, { optional: true }) name?: string;
  @Text(100, { optional: true, nullable: true }) agent_id?: string | null;
  @Text(20_000, { optional: true }) instructions?: string;
  @JsonObject({ optional: true, nullable: true }) output_schema?: Record<string, unknown> | null;
  @NestedList(WorkflowStepFields, maxSteps, {
    optional: true,
    nullable: true,
    description: 'In place of all that it has; runs that have begun keep those that they began with',
  })
  steps?: WorkflowStepFields[] | null;
  @OneOf(['active', 'suspended', 'off'], { optional: true, description: 'Runs of a suspended workflow wait' })
  status?: WorkflowStatus;
}

@ApiTags('workflows')
@Controller()
export class WorkflowController {
  constructor(
    private readonly workflows: WorkflowService,
    private readonly rules: ProjectRules,
    private readonly runs: EngineRuns,
    private readonly db: Database,
  ) {}

  @Post('api/v1/workflows')
  @RequireScopes('workflows:write')
  @ApiOperation({ operationId: 'createWorkflow', summary: 'Create a workflow; its id is an integer of the project' })
  @ApiCreatedResponse({ type: WorkflowView })
  create(@Caller() caller: Principal, @Body() body: NewWorkflow): Promise<WorkflowView> {
    const { name, agent_id = null, instructions = '', output_schema = null, steps = null } = body;
    return this.workflows.create(caller, { name, agent_id, instructions, output_schema, steps });
  }

  @Get('api/v1/workflows')
  @RequireScopes('workflows:read')
  @ApiOperation({ operationId: 'listWorkflows', summary: 'Workflows of the project' })
  @ApiOkResponse({ type: WorkflowPage })
  async list(@Caller() caller: Principal): Promise<WorkflowPage> {
    return { data: await this.workflows.list(caller), next_cursor: null };
  }

  @Get('api/v1/workflows/:id')
  @ShowsEntityTag()
  @RequireScopes('workflows:read')
  @ApiOperation({ operationId: 'getWorkflow', summary: 'One workflow' })
  @ApiOkResponse({ type: WorkflowView })
  get(@Caller() caller: Principal, @Param('id', workflowNumber) id: number): Promise<WorkflowView> {
    return this.workflows.get(caller, id);
  }

  @Patch('api/v1/workflows/:id')
  @Edits<WorkflowController>((controller, caller, id) => controller.get(caller, workflowNumber.transform(id)))
  @RequireScopes('workflows:write')
  @ApiOperation({
    operationId: 'changeWorkflow',
    summary: 'Change a workflow; making it active releases its waiting runs',
  })
  @ApiOkResponse({ type: WorkflowView })
  change(
    @Caller() caller: Principal,
    @Param('id', workflowNumber) id: number,
    @Body() body: WorkflowChange,
  ): Promise<WorkflowView> {
    return this.workflows.change(caller, id, { ...body });
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
