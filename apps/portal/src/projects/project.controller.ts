import type { ProjectHold } from '#libs/journal';
import { noLimits, ProjectLimitsDto } from '#libs/project-limits';
import {
  Caller,
  notFound,
  pageOf,
  PageQuery,
  type Principal,
  Problem,
  reachesOrganization,
  RequireScopes,
  type ServiceClient,
} from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Inject, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GATEWAY, type NamedClient, SERVICE_CLIENTS } from '../services.js';
import { Named, ProjectPage, ProjectView } from './project.dto.js';
import type { Project } from './project.entity.js';
import { ProjectRepository } from './project.repository.js';

const holdLimits: string[] = ['webhook-ingress', 'adapter-gateway', 'router', 'engine'];

@ApiTags('projects')
@Controller('api/v1/projects')
export class ProjectController {
  constructor(
    private readonly projects: ProjectRepository,
    @Inject(GATEWAY) private readonly gateway: Pick<ServiceClient, 'post'>,
    @Inject(SERVICE_CLIENTS) private readonly services: NamedClient[],
  ) {}

  @Get()
  @RequireScopes()
  @ApiOperation({
    summary: 'Projects to which the caller has access, including closed ones',
    operationId: 'listProjects',
  })
  @ApiOkResponse({ type: ProjectPage })
  async list(@Caller() caller: Principal, @Query() { limit, cursor }: PageQuery): Promise<ProjectPage> {
    const rows = await this.projects.list(caller.organizationId, reach(caller), limit + 1, cursor);
    const page = pageOf(rows, limit, (row) => row.id);
    return { data: page.data.map(view), next_cursor: page.next_cursor };
  }

  @Get(':id')
  @RequireScopes()
  @ApiOperation({ summary: 'Read a project', operationId: 'getProject' })
  @ApiOkResponse({ type: ProjectView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<ProjectView> {
    requireReach(caller, id);
    return viewOf(id, await this.projects.find(caller.organizationId, id));
  }

  @Post()
  @RequireScopes('projects:write')
  @ApiOperation({ summary: 'Create a project in the organization', operationId: 'createProject' })
  @ApiCreatedResponse({ type: ProjectView })
  async create(@Caller() caller: Principal, @Body() { name }: Named): Promise<ProjectView> {
    return view(await this.projects.create(caller, name));
  }

  @Patch(':id')
  @RequireScopes('projects:write')
  @ApiOperation({ summary: 'Rename a project', operationId: 'renameProject' })
  @ApiOkResponse({ type: ProjectView })
  async rename(@Caller() caller: Principal, @Param('id') id: string, @Body() { name }: Named): Promise<ProjectView> {
    requireReach(caller, id);
    return viewOf(id, await this.projects.rename(caller, id, name));
  }

  @Put(':id/limits')
  @RequireScopes('projects:write')
  @ApiOperation({
    summary: 'Set the limits of a project; null: the setting of the installation applies',
    operationId: 'setProjectLimits',
  })
  @ApiOkResponse({ type: ProjectView })
  async setLimits(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() limits: ProjectLimitsDto,
  ): Promise<ProjectView> {
    requireReach(caller, id);
    return viewOf(id, await this.projects.setLimits(caller, id, limits, () => this.sendLimits(caller, id, limits)));
  }

  @Post(':id/close')
  @HttpCode(200)
  @RequireScopes('projects:write')
  @ApiOperation({
    summary: 'Close a project: its keys are refused, members can only read, its webhooks answer 404',
    operationId: 'closeProject',
  })
  @ApiOkResponse({ type: ProjectView })
  async close(@Caller() caller: Principal, @Param('id') id: string): Promise<ProjectView> {
    requireReach(caller, id);
    const closed = await this.projects.close(caller, id, () => this.announce(caller, id, true));
    if (closed !== 'last') return viewOf(id, closed);
    throw new Problem(
      409,
      'last_open_project',
      'It is the only open project of the organization: create another first.',
    );
  }

  @Post(':id/reopen')
  @HttpCode(200)
  @RequireScopes('projects:write')
  @ApiOperation({ summary: 'Reopen a closed project', operationId: 'reopenProject' })
  @ApiOkResponse({ type: ProjectView })
  async reopen(@Caller() caller: Principal, @Param('id') id: string): Promise<ProjectView> {
    requireReach(caller, id);
    const opened = await this.projects.reopen(caller, id, () => this.announce(caller, id, false));
    if (opened && 'peer' in opened) throw moves(opened);
    return viewOf(id, opened);
  }

  /** Tells the services that enforce the limits. @throws Problem 503 when one does not answer */
  private async sendLimits(caller: Principal, projectId: string, limits: ProjectLimitsDto): Promise<void> {
    const scope = { organizationId: caller.organizationId, projectId };
    const held = this.services.filter(({ service }) => holdLimits.includes(service));
    await Promise.all(held.map(({ client }) => client.put('/internal/project/limits', scope, limits)));
  }

  /** Tells the gateway, which answers for webhooks. @throws Problem 503 when it does not answer */
  private announce({ organizationId }: Principal, projectId: string, closed: boolean): Promise<unknown> {
    return this.gateway.post('/internal/project/closed', { organizationId, projectId }, { closed });
  }
}

/** The one project that the caller reaches, or null for all of its organization. */
function reach(caller: Principal): string | null {
  return reachesOrganization(caller) ? null : caller.projectId;
}

/** @throws Problem 404 */
function requireReach(caller: Principal, id: string): void {
  if (![null, id].includes(reach(caller))) throw notFound('project', id);
}

/** Open here as well, it would be worked on twice. */
function moves({ project_id: id, state, peer }: ProjectHold): Problem {
  const left = `It has moved to ${peer}, which works on it. It cannot be opened here again.`;
  const toDo = {
    leaving: `It is leaving for ${peer}: let gatehouse move go on to its end, or undo it with gatehouse move abort.`,
    aborting: `Its move to ${peer} is being aborted: gatehouse move abort, started again, opens it here.`,
    left,
    ending: left,
    arriving: `It is arriving from ${peer}: gatehouse move opens it, or gatehouse move abort deletes it here.`,
  };
  return new Problem(409, 'project_moves', `The project ${id} cannot be reopened. ${toDo[state]}`);
}

function viewOf(id: string, project: Project | null): ProjectView {
  if (!project) throw notFound('project', id);
  return view(project);
}

function view({ id, organization_id, name, closed_at, created_at, limits }: Project): ProjectView {
  const times = { closed_at: closed_at?.toISOString() ?? null, created_at: created_at.toISOString() };
  return { id, organization_id, name, limits: { ...noLimits, ...limits }, ...times };
}
