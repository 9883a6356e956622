import { Caller, notFound, pageOf, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { EntityDetail, EntityPage, EntityQuery } from './entity.dto.js';
import { EntityDirectory } from './entity-directory.repository.js';
import { GraphRepository } from './graph.repository.js';

const mostRelations = 200;

/** Lists the entities of the knowledge for people. Agents use `query_knowledge_graph`. */
@ApiTags('knowledge')
@Controller('api/v1/knowledge/entities')
export class EntityController {
  constructor(
    private readonly directory: EntityDirectory,
    private readonly graph: GraphRepository,
  ) {}

  @Get()
  @RequireScopes('knowledge:read')
  @ApiOperation({ summary: 'List entities that documents mention, by name', operationId: 'listEntities' })
  @ApiOkResponse({ type: EntityPage })
  async list(@Caller() caller: Principal, @Query() { q, limit, cursor }: EntityQuery): Promise<EntityPage> {
    const rows = await this.directory.list(caller, q ?? null, limit, cursor ?? null);
    const { data, next_cursor } = pageOf(rows, limit, ({ name_key }) => name_key);
    return { data: data.map(({ name_key: _key, ...entity }) => entity), next_cursor };
  }

  @Get(':id')
  @RequireScopes('knowledge:read')
  @ApiOperation({ summary: 'Read what documents say about an entity, and its relations', operationId: 'getEntity' })
  @ApiOkResponse({ type: EntityDetail })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<EntityDetail> {
    const name = await this.directory.nameOf(caller, id);
    const entity = name === null ? null : await this.graph.entity(caller, null, name);
    if (!entity) throw notFound('entity', id);
    return { ...entity, relations: await this.graph.neighbours(caller, null, id, 1, mostRelations) };
  }
}
