import { Caller, idOf, notFound, pageOf, PageQuery, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { Project } from './project.entity.js';
import { ProjectRepository } from './project.repository.js';

export class ProjectView {
  @ApiProperty(idOf('prj')) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty() name: string;
  @ApiProperty({ format: 'date-time' }) created_at: string;
}

export class ProjectPage {
  @ApiProperty({ type: [ProjectView] }) data: ProjectView[];
  @ApiProperty({ type: String, nullable: true }) next_cursor: string | null;
}

@ApiTags('projects')
@Controller('api/v1/projects')
export class ProjectController {
  constructor(@Inject(ProjectRepository) private readonly projects: ProjectRepository) {}

  @Get()
  @RequireScopes()
  @ApiOperation({ summary: 'Projects the key reaches', operationId: 'listProjects' })
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
    const row = [null, id].includes(reach(caller)) ? await this.projects.find(caller.organizationId, id) : null;
    if (!row) throw notFound('project', id);
    return view(row);
  }
}

/** The one project the caller reaches, or null for all of its organization. */
function reach(caller: Principal): string | null {
  return caller.scopes.includes('admin') ? null : caller.projectId;
}

function view({ id, organization_id, name, created_at }: Project): ProjectView {
  return { id, organization_id, name, created_at: created_at.toISOString() };
}
