import { Caller, notFound, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { PublicationView, publicationView, Publish } from './publication.dto.js';
import { PublicationRepository } from './publication.repository.js';

@ApiTags('agents')
@Controller('api/v1/agents/:id/publication')
export class PublicationController {
  constructor(
    private readonly publications: PublicationRepository,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  @Get()
  @RequireScopes('agents:read')
  @ApiOperation({ operationId: 'getPublication', summary: 'Read how others may ask the agent; 404: they may not' })
  @ApiOkResponse({ type: PublicationView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<PublicationView> {
    const row = await this.publications.find(caller, id);
    if (!row) throw notFound('publication', id);
    return publicationView(row, this.settings.PUBLIC_URL);
  }

  @Put()
  @RequireScopes('agents:write')
  @ApiOperation({ operationId: 'publishAgent', summary: 'Let others ask the agent over A2A and MCP' })
  @ApiOkResponse({ type: PublicationView })
  async publish(@Caller() caller: Principal, @Param('id') id: string, @Body() body: Publish): Promise<PublicationView> {
    const { name, description, examples = [] } = body;
    const row = await this.publications.put(caller, id, { name, description, examples });
    return publicationView(row, this.settings.PUBLIC_URL);
  }

  @Delete()
  @HttpCode(204)
  @RequireScopes('agents:write')
  @ApiOperation({
    operationId: 'unpublishAgent',
    summary: 'Let nobody ask the agent over A2A and MCP; tasks that run go on',
  })
  @ApiNoContentResponse()
  async unpublish(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    await this.publications.remove(caller, id);
  }
}
