import { newId } from '#libs/contracts';
import { Caller, Flag, notFound, type Principal, RequireScopes, Text, TextList, Whole } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { TriggerRow } from './trigger.entity.js';
import { ProjectRules } from '../routing/project-rules.js';
import { WorkflowRepository } from './workflow.repository.js';

class NewTrigger {
  @Text(100, { minLength: 1 }) app_id: string;
  @Whole(1, 2_147_483_647) workflow_id: number;
  @TextList(100, 200, { optional: true, description: 'Every event of the App when absent or empty' })
  event_types?: string[];
}

class TriggerChange {
  @TextList(100, 200, { optional: true }) event_types?: string[];
  @Flag({ optional: true }) active?: boolean;
}

@ApiTags('Triggers')
@Controller('api/v1/triggers')
export class TriggersController {
  constructor(
    @Inject(WorkflowRepository) private readonly workflows: WorkflowRepository,
    @Inject(ProjectRules) private readonly rules: ProjectRules,
  ) {}

  @Post()
  @RequireScopes('workflows:write')
  @ApiOperation({ operationId: 'createTrigger', summary: 'Start a workflow for events of an App' })
  async create(@Caller() caller: Principal, @Body() body: NewTrigger): Promise<TriggerRow> {
    if (!(await this.workflows.find(caller.projectId, body.workflow_id))) throw notFound('workflow', body.workflow_id);
    const row: TriggerRow = {
      id: newId('trg'),
      organization_id: caller.organizationId,
      project_id: caller.projectId,
      app_id: body.app_id,
      workflow_id: body.workflow_id,
      event_types: body.event_types ?? [],
      active: true,
      created_at: new Date(),
    };
    await this.workflows.insertTrigger(row);
    this.rules.forget(caller.projectId);
    return row;
  }

  @Get()
  @RequireScopes('workflows:read')
  @ApiOperation({ operationId: 'listTriggers', summary: 'Triggers of the project' })
  async list(@Caller() caller: Principal): Promise<{ data: TriggerRow[]; next_cursor: null }> {
    return { data: await this.workflows.listTriggers(caller.projectId), next_cursor: null };
  }

  @Patch(':id')
  @RequireScopes('workflows:write')
  @ApiOperation({ operationId: 'changeTrigger', summary: 'Change a trigger' })
  async change(@Caller() caller: Principal, @Param('id') id: string, @Body() body: TriggerChange): Promise<TriggerRow> {
    const row = await this.workflows.updateTrigger(caller.projectId, id, { ...body });
    if (!row) throw notFound('trigger', id);
    this.rules.forget(caller.projectId);
    return row;
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('workflows:write')
  @ApiOperation({ operationId: 'deleteTrigger', summary: 'Delete a trigger' })
  async remove(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    if (!(await this.workflows.deleteTrigger(caller.projectId, id))) throw notFound('trigger', id);
    this.rules.forget(caller.projectId);
  }
}
