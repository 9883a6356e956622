import { Caller, type Principal, RequireScopes, RowNumberPipe } from '#libs/service-kit';
import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { templates } from './data/templates.js';
import { OfferedTemplatePage, SentTemplateSample, TemplateView } from './template.dto.js';
import { TemplateService } from './template.service.js';

@ApiTags('templates')
@Controller('api/v1/templates')
export class TemplateController {
  constructor(private readonly service: TemplateService) {}

  @Get()
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'listTemplates', summary: 'Templates that fill a project' })
  @ApiOkResponse({ type: OfferedTemplatePage })
  list(): OfferedTemplatePage {
    return { data: templates.map(({ id, name, description }) => ({ id, name, description })), next_cursor: null };
  }

  @Get(':id')
  @RequireScopes(
    'apps:read',
    'agents:read',
    'tools:read',
    'workflows:read',
    'channels:read',
    'credentials:read',
    'knowledge:read',
  )
  @ApiOperation({
    operationId: 'getTemplate',
    summary: 'What a template makes in this project, what of it is there, and what is left to people',
  })
  @ApiOkResponse({ type: TemplateView })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<TemplateView> {
    return this.service.look(caller, id);
  }

  @Post(':id/apply')
  @HttpCode(200)
  @RequireScopes(
    'apps:write',
    'agents:write',
    'tools:write',
    'workflows:write',
    'channels:write',
    'credentials:write',
    'knowledge:read',
  )
  @ApiOperation({
    operationId: 'applyTemplate',
    summary: 'Make what is missing of a template; what is there stays as it is, so it can be repeated',
  })
  @ApiOkResponse({ type: TemplateView })
  apply(@Caller() caller: Principal, @Param('id') id: string): Promise<TemplateView> {
    return this.service.apply(caller, id);
  }

  @Post(':id/samples/:number')
  @HttpCode(200)
  @RequireScopes('apps:write')
  @ApiParam({ name: 'number', type: 'integer', description: 'Of the sample, from 1' })
  @ApiOperation({
    operationId: 'sendTemplateSample',
    summary: "Send a sample message to the template's App, signed as its sender would",
  })
  @ApiOkResponse({ type: SentTemplateSample })
  send(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('number', new RowNumberPipe('sample')) number: number,
  ): Promise<SentTemplateSample> {
    return this.service.send(caller, id, number);
  }
}
